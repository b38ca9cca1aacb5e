import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvariantBroken, sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Reconciler, runController, type Source } from './controller.ts'
import { TerminalError } from './errors.ts'

function create(reconcile: (key: string, signal: AbortSignal) => ReturnType<Reconciler['reconcile']>) {
  const simulation = new Simulation('controller')
  const world = simulation.process('p')
  const stop = new AbortController()
  const synced = Promise.withResolvers<void>()
  let enqueue: (key: string) => void = () => {}
  const source: Source = {
    subscribe: (add) => {
      enqueue = add
      return () => {
        enqueue = () => {}
      }
    },
    whenSynced: () => synced.promise,
  }
  const options = {
    name: 'test',
    world,
    sources: [source],
    workers: 2,
    backoff: { firstMs: 100, maxMs: 1_000 },
  }
  const running = runController({ ...options, reconciler: { reconcile } }, stop.signal)
  return {
    simulation,
    world,
    stop,
    running,
    synced,
    add: (key: string) => enqueue(key),
    run: (untilMs: number) => simulation.run({ untilMs }),
  }
}

test('controller: nothing is reconciled before the sources are synced', async () => {
  const seen: string[] = []
  const { add, run, synced, stop, simulation, running } = create(async (key) => {
    seen.push(key)
    return undefined
  })
  add('a')
  await run(1_000)
  assert.deepEqual(seen, [])
  synced.resolve()
  await run(1_001)
  assert.deepEqual(seen, ['a'])
  stop.abort(new Error('stop'))
  await simulation.settle(running)
})

test('controller: an error is retried; a TerminalError waits for a change', async () => {
  const tries = { flaky: 0, hopeless: 0 }
  const { add, run, synced } = create(async (key) => {
    tries[key as 'flaky' | 'hopeless']++
    if (key === 'hopeless') throw new TerminalError('no')
    if (tries.flaky < 4) throw new Error('not yet')
    return undefined
  })
  synced.resolve()
  add('flaky')
  add('hopeless')
  await run(60_000)
  assert.deepEqual(tries, { flaky: 4, hopeless: 1 })
  add('hopeless')
  await run(60_100)
  assert.equal(tries.hopeless, 2)
})

test('controller: no more reconciles at a time than workers, and none after the end', async () => {
  let now = 0
  let most = 0
  const { add, run, synced, stop, simulation, running, world } = create(async (_, signal) => {
    most = Math.max(most, ++now)
    // Takes its time to end, also after the abort.
    await sleep(world.clock, 1_000, signal).catch(() => sleep(world.clock, 300))
    now--
    return undefined
  })
  synced.resolve()
  for (const key of ['a', 'b', 'c', 'd']) add(key)
  await run(500)
  assert.equal(most, 2)
  stop.abort(new Error('stop'))
  await simulation.settle(running)
  assert.equal(now, 0)
  assert.equal(simulation.nowMs, 800)
})

test('controller: a reconcile that never ends times out and is retried', async () => {
  let tries = 0
  const { add, run, synced } = create(async (_, signal) => {
    tries++
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return undefined
  })
  synced.resolve()
  add('a')
  await run(61_000)
  assert.equal(tries, 3)
})

test('controller: a bug ends it', async () => {
  const { add, synced, simulation, running } = create(() => Promise.reject(new InvariantBroken('bug')))
  synced.resolve()
  await simulation.run({ untilMs: 1 })
  add('a')
  await assert.rejects(simulation.settle(running), InvariantBroken)
})
