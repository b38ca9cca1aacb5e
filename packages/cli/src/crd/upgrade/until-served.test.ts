import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import type { Client } from '@strata/client'
import type { Clock } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { untilServed } from './until-served.ts'
import type { UpgradeSession } from './upgrade-options.ts'

/** A minute is a tenth of a second. */
const hasty: Clock = {
  ...nodeClock,
  monotonicMs: () => nodeClock.monotonicMs() * 600,
  after: (delayMs, callback) => nodeClock.after(delayMs / 600, callback),
}
const crd = {
  metadata: { name: 'lamps.light.example.dev' },
  spec: { group: 'light.example.dev', names: { plural: 'lamps', kind: 'Lamp' } },
} as unknown as CustomResourceDefinition

/** A server that serves v2 from its look number `from` on. */
function server(from: number, looks: { count: number } = { count: 0 }): Client {
  const served = { group: 'light.example.dev', resource: 'lamps', versionName: 'v2' }
  const discoverGroup = async () => ({ resources: ++looks.count < from ? [] : [served], failures: [] })
  return { discoverGroup } as unknown as Client
}

function session(client: Client, ...others: readonly Client[]): UpgradeSession {
  const servers = others.map((each, index) => ({ name: `s${index}`, client: each }))
  const cluster = { client, servers: async () => ({ kind: 'endpoints', servers, unasked: [] }) }
  const context = { world: { clock: hasty }, signal: new AbortController().signal }
  return { cluster, context } as unknown as UpgradeSession
}

test('crd upgrade: a version is served once every API server that can be asked lists it', async () => {
  const late = { count: 0 }
  const found = await untilServed(session(server(1), server(1), server(4, late)), crd, 'v2')
  assert.equal(found.versionName, 'v2')
  assert.equal(late.count, 4)
})

test('crd upgrade: the API server that does not list it in time is named', async () => {
  const never = session(server(1), server(1), server(Number.POSITIVE_INFINITY))
  await assert.rejects(untilServed(never, crd, 'v2'), {
    message: 'the API server s1 does not serve lamps.light.example.dev in v2 after 60 s',
  })
})
