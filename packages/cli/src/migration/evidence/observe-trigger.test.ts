import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import type { Client } from '@strata/client'
import { abortable } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { observeTrigger } from './observe-trigger.ts'

const forbidden = new ApiError(403, 'Forbidden', 'no')
const notServed = new ApiError(404, 'NotFound', 'no such resource')
const held = { holderIdentity: 'a', renewTime: '2026-01-01T00:00:00Z', leaseDurationSeconds: 20 }

const broken = new ApiError(500, 'InternalError', 'no')
const everyName = ['storagestates', 'storageversionmigrations', "the controllers' Lease"]

type Seen = Awaited<ReturnType<typeof observeTrigger>>
const rows: readonly [name: string, answer: (what: string) => object | Promise<object>, want: Seen][] = [
  [
    'all of it',
    () => ({ items: [], spec: held }),
    { states: [], migrations: [], leader: { isHeld: true, renewed: held.renewTime, durationSeconds: 20 } },
  ],
  [
    'it is not served',
    () => {
      throw notServed
    },
    { states: [], migrations: [], leader: { isHeld: false } },
  ],
  [
    'it may not be seen',
    () => {
      throw forbidden
    },
    { states: undefined, migrations: undefined, leader: undefined },
  ],
  [
    'migrations of one group may not be seen',
    (group) => {
      if (group === 'storagemigration.k8s.io') throw forbidden
      return { items: [], spec: { holderIdentity: '' } }
    },
    { states: [], migrations: undefined, leader: { isHeld: false } },
  ],
  [
    'the server fails',
    () => {
      throw broken
    },
    { states: undefined, migrations: undefined, leader: undefined, unanswered: everyName },
  ],
  [
    'the server takes every question and answers none',
    () => new Promise(() => {}),
    { states: undefined, migrations: undefined, leader: undefined, unanswered: everyName },
  ],
  [
    'one question is not answered',
    (group) => (group === 'coordination.k8s.io' ? new Promise(() => {}) : { items: [] }),
    { states: [], migrations: [], leader: undefined, unanswered: ["the controllers' Lease"] },
  ],
]
function clientOf(answer: (what: string) => object | Promise<object>): Client {
  const resource = ({ group, plural }: { readonly group: string; readonly plural: string }) => {
    const ask = async (_: unknown, signal: AbortSignal) => abortable(Promise.resolve(answer(group)), signal)
    return { address: { resource: plural }, list: ask, get: ask }
  }
  return { resource } as unknown as Client
}
for (const [name, answer, want] of rows) {
  test(`what is seen of the trigger: ${name}`, async () => {
    const simulation = new Simulation(name)
    const { clock } = simulation.process('status')
    const { signal } = new AbortController()
    assert.deepEqual(await simulation.settle(observeTrigger(clientOf(answer), clock, signal)), want)
    assert.ok(simulation.nowMs <= 5_000)
  })
}

test('what is seen of the trigger: an aborted read throws, and is not taken for an absence', async () => {
  const simulation = new Simulation('ended')
  const { clock } = simulation.process('status')
  const stop = new AbortController()
  const client = clientOf(() => new Promise(() => {}))
  const seen = observeTrigger(client, clock, stop.signal)
  stop.abort(new Error('stopped by SIGINT'))
  await assert.rejects(simulation.settle(seen), /stopped by SIGINT/)
})
