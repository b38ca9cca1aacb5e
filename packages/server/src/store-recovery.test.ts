import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { GapCause } from './coordination/index.ts'
import { createMemoryStore, MemoryData, type Store } from './store/homes.ts'
import { type Commit, TimelineStore } from './store/index.ts'
import { incarnationKey, StoreRecovery } from './store-recovery.ts'

const never = new AbortController().signal
const tickKey = '/registry/strata.dev/ticks/a'
const put: Commit = { writes: [{ kind: 'put', key: '/x', value: Buffer.from('x') }], guards: [] }

function setUp(wrap: (store: Store, data: MemoryData) => Store = (store) => store) {
  const simulation = new Simulation('store recovery')
  const data = new MemoryData()
  const gaps: GapCause[] = []
  /** For each time that everything was stopped: whoever waits for the store from then on. */
  const waits: Promise<void>[] = []
  const timeline: TimelineStore = new TimelineStore(wrap(createMemoryStore(data), data), {
    ...{ incarnationKey, ownKey: '/own' },
    onReplaced: (replacement) => recovery.begin(replacement, never),
  })
  const recovery: StoreRecovery = new StoreRecovery({
    ...{ world: simulation.process('a'), timeline, tickKey },
    stop: () => void waits.push(recovery.readable),
    rejoin: async (gap) => void gaps.push(gap),
  })
  const write = (count: number): void => {
    for (let index = 0; index < count; index++) data.commit(put)
  }
  const incarnation = (): string | undefined => data.read([incarnationKey]).entries[0]?.value.toString()
  return { simulation, data, timeline, recovery, gaps, write, incarnation, waits }
}

test('store recovery: a store without an incarnation is given one at the start, and keeps it', async () => {
  const { simulation, recovery, incarnation } = setUp()
  await simulation.settle(recovery.start(never))
  await simulation.settle(recovery.readable)
  const first = incarnation()
  assert.ok(first)
  await simulation.settle(recovery.start(never))
  assert.equal(incarnation(), first)
})

test('store recovery: others are told, what was handed out is passed, and then the server rejoins', async () => {
  const { simulation, data, timeline, recovery, gaps, write, incarnation, waits } = setUp()
  await simulation.settle(recovery.start(never))
  const before = incarnation()
  write(50)
  const highest = await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  await assert.rejects(simulation.settle(timeline.currentRevision(never)))
  assert.equal(waits.length, 1)
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 60_000 })
  assert.equal(gaps[0]?.reason, 'StoreRestored')
  assert.notEqual(incarnation(), before)
  assert.ok(data.revision > highest)
  await simulation.settle(recovery.readable)
})

test('store recovery: a store that is replaced again meanwhile is taken up too, and who waits goes on waiting', async () => {
  const { simulation, data, timeline, recovery, gaps, write, waits } = setUp((store, data) => {
    let isFirst = true
    return {
      ...store,
      commit: async (commit, signal) => {
        const isTick = commit.writes.some(({ key }) => key === tickKey)
        // Revisions are being passed: the store is put back once more.
        if (isTick && isFirst && data.revision > 20) {
          isFirst = false
          data.restoreTo(5)
        }
        return store.commit(commit, signal)
      },
    }
  })
  await simulation.settle(recovery.start(never))
  write(50)
  await simulation.settle(timeline.currentRevision(never))
  data.restoreTo(10)
  await assert.rejects(simulation.settle(timeline.currentRevision(never)))
  await simulation.run({ until: () => gaps.length > 0, untilMs: simulation.nowMs + 60_000 })
  assert.deepEqual([recovery.count, waits.length, gaps.length], [2, 2, 1])
  // Otherwise a cache that waited when it was replaced again would wait for ever.
  const all = Promise.all(waits).then(() => 'readable')
  const now = new Promise((resolve) => setImmediate(resolve, 'still waiting'))
  assert.equal(await Promise.race([all, now]), 'readable')
  assert.ok(data.revision > 50)
})

test('store recovery: a server that is rejoining when the store is replaced again begins anew at once', async () => {
  const simulation = new Simulation('rejoining')
  const data = new MemoryData()
  let rejoins = 0
  const timeline: TimelineStore = new TimelineStore(createMemoryStore(data), {
    ...{ incarnationKey, ownKey: '/own' },
    onReplaced: (replacement) => recovery.begin(replacement, never),
  })
  const recovery: StoreRecovery = new StoreRecovery({
    ...{ world: simulation.process('a'), timeline, tickKey, stop: () => {} },
    // The first waits for what can never come: the store that it was about is gone.
    rejoin: (_gap, signal) =>
      rejoins++ > 0
        ? Promise.resolve()
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  await simulation.settle(recovery.start(never))
  for (let round = 1; round <= 2; round++) {
    for (let index = 0; index < 20; index++) data.commit(put)
    await simulation.settle(timeline.currentRevision(never))
    data.restoreTo(10)
    await assert.rejects(simulation.settle(timeline.currentRevision(never)))
    const beganMs = simulation.nowMs
    await simulation.run({ until: () => rejoins === round, untilMs: beganMs + 60_000 })
    assert.equal(rejoins, round)
    assert.ok(simulation.nowMs - beganMs < 10_000, 'it waited for the attempt before')
  }
})
