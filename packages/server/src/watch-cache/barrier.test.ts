import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import { ReadBarrier } from './barrier.ts'

const never = new AbortController().signal
const put = (store: Store, key: string) =>
  store.commit({ writes: [{ kind: 'put', key, value: new Uint8Array() }], guards: [] }, never)

function setUp(seed: string) {
  const simulation = new Simulation(seed)
  const store = createMemoryStore(new MemoryData())
  let asked = 0
  const counting: Store = {
    ...store,
    currentRevision: (signal) => {
      asked++
      return new Promise((resolve, reject) => {
        // The store answers as of now; the answer takes a while.
        const answer = store.currentRevision(signal)
        simulation.clock.after(10, () => void answer.then(resolve, reject))
      })
    },
  }
  let ticks = 0
  const barrier = new ReadBarrier(counting, simulation.process('p'), async () => {
    ticks++
    await put(store, '/registry/tick')
    barrier.advance(await store.currentRevision(never))
  })
  return { simulation, store, barrier, asked: () => asked, ticks: () => ticks }
}

test('barrier: a read waits until the cache has applied all earlier commits', async () => {
  const { simulation, store, barrier } = setUp('waits')
  const { revision } = await put(store, '/registry/a')
  let passed = false
  const reading = barrier.pass(never).then(() => {
    passed = true
  })
  await simulation.run({ untilMs: 50 })
  assert.equal(passed, false)
  barrier.advance(revision)
  await simulation.settle(reading)
})

test('barrier: one quorum read serves all waiting requests, and none that came after it was sent', async () => {
  const { simulation, barrier, asked } = setUp('batches')
  const first = barrier.pass(never)
  await simulation.run({ untilMs: 5 })
  const later = Array.from({ length: 100 }, () => barrier.pass(never))
  await simulation.settle(Promise.all([first, ...later]))
  assert.equal(asked(), 2)
})

test('barrier: a revision that moved outside of the prefix is passed with a tick', async () => {
  const { simulation, store, barrier, ticks } = setUp('tick')
  await put(store, 'compact_rev_key')
  await simulation.settle(barrier.pass(never))
  assert.equal(ticks(), 1)
})

test('barrier: however many wait, one tick moves the watch', async () => {
  const { simulation, store, barrier, ticks } = setUp('many')
  await put(store, 'compact_rev_key')
  await simulation.settle(Promise.all(Array.from({ length: 500 }, () => barrier.pass(never))))
  assert.equal(ticks(), 1)
})

test('barrier: a reader that goes away is forgotten', async () => {
  const { simulation, store, barrier } = setUp('abort')
  await put(store, '/registry/a')
  const gone = new AbortController()
  const reading = barrier.pass(gone.signal)
  simulation.clock.after(20, () => gone.abort(new Error('gone')))
  await assert.rejects(simulation.settle(reading), /gone/)
})

test('barrier: an unwritten revision is awaited without writing', async () => {
  const { simulation, store, barrier, ticks } = setUp('passive')
  const { revision } = await put(store, '/registry/a')
  barrier.advance(revision)
  let reached = false
  const waiting = barrier.whenReached(revision + 1, never).then(() => {
    reached = true
  })
  await simulation.run({ untilMs: 5_000 })
  assert.deepEqual([reached, ticks()], [false, 0])
  barrier.advance(revision + 1)
  await simulation.settle(waiting)
})
