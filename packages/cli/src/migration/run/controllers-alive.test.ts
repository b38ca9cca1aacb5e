import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import type { Client } from '@strata/client'
import { Simulation } from '@strata/world/sim'
import { observeControllers, observeRenewal, type Renewal } from './controllers-alive.ts'

const never = new AbortController().signal

const rows: readonly [
  name: string,
  leaseAt: (nowMs: number) => { holder?: string; revision: number } | ApiError,
  want: Renewal,
][] = [
  ['one that is renewed', (nowMs) => ({ holder: 'a', revision: Math.floor(nowMs / 2_000) }), 'alive'],
  ['one of a process that was killed', () => ({ holder: 'a', revision: 7 }), 'stale'],
  ['one that was given back', () => ({ holder: '', revision: 7 }), 'absent'],
  [
    'one that is given back while we look',
    (nowMs) => ({ holder: nowMs < 1_000 ? 'a' : '', revision: nowMs < 1_000 ? 7 : 8 }),
    'absent',
  ],
  ['none', () => new ApiError(404, 'NotFound', 'no such Lease'), 'absent'],
  ['one that may not be seen', () => new ApiError(403, 'Forbidden', 'no'), 'unseen'],
]
for (const [name, leaseAt, want] of rows) {
  test(`controllers' Lease: ${name}: ${want}`, async () => {
    const simulation = new Simulation(name)
    const { clock } = simulation.process('command')
    const get = async () => {
      const lease = leaseAt(simulation.nowMs)
      if (lease instanceof Error) throw lease
      const { holder: holderIdentity, revision } = lease
      return { metadata: { resourceVersion: String(revision) }, spec: { holderIdentity } }
    }
    const client = { resource: () => ({ get }) } as unknown as Client
    assert.equal(await simulation.settle(observeRenewal(client, clock, never)), want)
  })
}

test('controllers: who leads nothing but the trigger, or what else there is, runs no migrations', async () => {
  const { clock } = new Simulation('trigger alone').process('command')
  const get = async ({ name }: { readonly name: string }) => {
    if (name === 'strata-storage-version-migrator') throw new ApiError(404, 'NotFound', 'no such Lease')
    return { metadata: { resourceVersion: '7' }, spec: { holderIdentity: 'a' } }
  }
  const client = { resource: () => ({ get }) } as unknown as Client
  assert.equal(await observeControllers(client, clock)(never), 'absent')
})
