import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '@strata/server/store'
import { replayHistory } from '../history-audit/replay-history.ts'
import { beacon, beaconPath, call } from '../support/fleet.ts'
import { VoteFleet, type VotePlan } from '../support/vote-fleet.ts'

const names = ['a', 'b', 'c'] as const
const everyMs = 40

/** Creates beacons through the servers that are ready, one after the other, until it is stopped. */
function startLoad(fleet: VoteFleet): { readonly answers: Map<number, number>; stop(): void } {
  const answers = new Map<number, number>()
  let count = 0
  let stopped = false
  const next = (): void => {
    if (stopped) return
    const ready = names.filter((name) => fleet.has(name) && fleet.member(name).server.ready)
    const name = ready[count % ready.length]
    if (name !== undefined) {
      const object = beacon(count % 2 === 0 ? 'v1' : 'v2', `load-${count++}`, 5)
      const path = beaconPath(count % 2 === 1 ? 'v1' : 'v2')
      void call(fleet.member(name).server.handle, 'POST', path, object).then(({ status }) =>
        answers.set(status, (answers.get(status) ?? 0) + 1),
      )
    }
    fleet.simulation.clock.after(everyMs, next)
  }
  next()
  return {
    answers,
    stop: () => {
      stopped = true
    },
  }
}

type Stage = readonly [release: string, plan: VotePlan]
const journeys: readonly [name: string, stages: readonly [Stage, ...Stage[]], end: string][] = [
  [
    'from report to vote, through an upgrade, and back to report',
    [
      ['x+1', { form: 'report' }],
      ['x+1', { form: 'vote' }],
      ['x+2', { form: 'vote' }],
      ['x+2', { form: 'report' }],
    ],
    'v2, a v2, b v2, c v2',
  ],
  [
    'an upgrade and a rollback of servers that vote',
    [
      ['x+1', { form: 'vote' }],
      ['x+2', { form: 'vote' }],
      ['x+1', { form: 'vote' }],
    ],
    'v1, a v1, b v1, c v1',
  ],
  [
    'from report to vote with the upgrade itself, and back with the rollback',
    [
      ['x+1', { form: 'report' }],
      ['x+2', { form: 'vote' }],
      ['x+1', { form: 'report' }],
    ],
    'v1, a v1, b v1, c v1',
  ],
]

for (const [name, [first, ...stages], end] of journeys) {
  test(`vote under load: ${name}: every object is in the version that its writer had recorded`, async () => {
    const fleet = new VoteFleet(name, { traceWriters: true })
    for (const each of names) await fleet.start(each, ...first)
    const load = startLoad(fleet)
    for (const stage of stages) {
      for (const each of names) {
        await fleet.restart(each, ...stage)
        await fleet.pass(300)
      }
    }
    load.stop()
    await fleet.pass(1_000)
    assert.equal(await fleet.said('a'), end)
    // A server that is asked to stop refuses what comes in its last moments; nothing else fails.
    const { 201: created = 0, 503: refused = 0, ...others } = Object.fromEntries(load.answers)
    assert.deepEqual(others, {})
    assert.ok(created > 50 && refused <= 3 * stages.length, `${created} created, ${refused} refused`)
    const { signal } = new AbortController()
    const found = await fleet.settle(replayHistory(createMemoryStore(fleet.data), {}, signal))
    assert.deepEqual([found.exceptionList, found.ambiguous], [[], 0])
    const beacons = found.resources.find(({ resource }) => resource === 'beacons.lighthouse.example.dev')
    assert.equal(Object.keys(beacons?.storedVersions ?? {}).length, 2, 'in each version some')
  })
}
