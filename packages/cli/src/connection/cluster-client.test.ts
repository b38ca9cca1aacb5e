import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createFailoverTransport } from '@strata/client'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../context.ts'
import { atServer, turnToAnswering } from './cluster-client.ts'

const access = { server: 'https://a', token: 't', serverName: 'inside.example' }
const rows: readonly [name: string, server: string, want: object][] = [
  ['the server of the context keeps tls-server-name', 'https://a', access],
  ['another one by its own address', 'https://b', { server: 'https://b', token: 't' }],
]
for (const [name, server, want] of rows) {
  test(`--server: ${name}`, () => assert.deepEqual(atServer(access, server), want))
}

test('a frozen server is left for the next one before anything else is asked', async () => {
  const simulation = new Simulation('frozen')
  const world = simulation.process('cli')
  const asked: string[] = []
  const frozen = ({ signal, target }: HttpRequest): Promise<HttpResponse> => {
    asked.push(`frozen ${target}`)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const well = async ({ target }: HttpRequest): Promise<HttpResponse> => {
    asked.push(`well ${target}`)
    return { status: 200, headers: {}, body: utf8.encode('{"kind":"APIGroupDiscoveryList","items":[]}') }
  }
  const client = createClient({ transport: createFailoverTransport([frozen, well]) })
  const { signal } = new AbortController()
  const context = { world, signal } as unknown as CliContext
  const connection = { client, servers: 2, close: () => {} }
  const turned = turnToAnswering(connection, context)
  await simulation.run({ untilMs: simulation.nowMs + 6_000 })
  await turned
  assert.deepEqual(asked.filter((each) => each.startsWith('well')).sort(), ['well /api', 'well /apis'])
  await client.discover(signal)
  assert.equal(asked.filter((each) => each.startsWith('frozen')).length, 2)
})
