import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { WorkQueue } from './work-queue.ts'

function create() {
  const simulation = new Simulation('queue')
  const { clock, random } = simulation.process('p')
  const queue = new WorkQueue({ clock, random, backoff: { firstMs: 100, maxMs: 1_000 } })
  const taken: string[] = []
  const take = (): void => void queue.take().then((key) => taken.push(key ?? 'closed'))
  return { simulation, queue, taken, take, run: (untilMs: number) => simulation.run({ untilMs }) }
}

test('queue: a key added twice is taken once, first come first served', async () => {
  const { queue, taken, take, run } = create()
  for (const key of ['a', 'b', 'a']) queue.add(key)
  for (let at = 0; at < 3; at++) take()
  await run(1)
  assert.deepEqual(taken, ['a', 'b'])
})

test('queue: a key never runs twice at a time; a change meanwhile gives it another turn', async () => {
  const { queue, taken, take, run } = create()
  queue.add('a')
  take()
  take()
  queue.add('a')
  queue.add('a')
  await run(1)
  assert.deepEqual(taken, ['a'])
  queue.done('a', { kind: 'settled' })
  await run(2)
  assert.deepEqual(taken, ['a', 'a'])
  queue.done('a', { kind: 'settled' })
  take()
  await run(3)
  assert.deepEqual(taken, ['a', 'a'])
})

test('queue: failures back off with jitter, up to the maximum; a success resets the backoff', async () => {
  const { simulation, queue } = create()
  const waits: number[] = []
  queue.add('a')
  for (let at = 0; at < 7; at++) {
    const beforeMs = simulation.nowMs
    const key = await simulation.settle(queue.take())
    waits.push(simulation.nowMs - beforeMs)
    queue.done(key ?? '', at === 5 ? { kind: 'again', afterMs: 7 } : { kind: 'failed', atLeastMs: 0 })
  }
  const bounds = [0, 100, 200, 400, 800, 1_000, 7]
  for (const [index, want] of bounds.entries()) {
    const got = waits[index] ?? -1
    assert.ok(index === 6 ? got === 7 : got >= want * 0.75 && got <= want * 1.25, `${index}: ${got}`)
  }
  const beforeMs = simulation.nowMs
  await simulation.settle(queue.take())
  assert.ok(simulation.nowMs - beforeMs <= 125)
})

test('queue: Retry-After is honoured', async () => {
  const { simulation, queue } = create()
  queue.add('a')
  queue.done((await queue.take()) ?? '', { kind: 'failed', atLeastMs: 5_000 })
  await simulation.settle(queue.take())
  assert.ok(simulation.nowMs >= 5_000)
})

test('queue: a change ends a wait early, and the wait is forgotten', async () => {
  const { queue, taken, take, run } = create()
  queue.add('a')
  take()
  await run(1)
  queue.done('a', { kind: 'again', afterMs: 1_000 })
  take()
  take()
  await run(10)
  queue.add('a')
  await run(20)
  queue.done('a', { kind: 'settled' })
  await run(5_000)
  assert.deepEqual(taken, ['a', 'a'])
})

test('queue: once closed, it returns nothing more and keeps no timer', async () => {
  const { simulation, queue, taken, take, run } = create()
  queue.add('a')
  take()
  await run(1)
  take()
  queue.add('b')
  queue.close()
  queue.done('a', { kind: 'failed', atLeastMs: 0 })
  queue.add('c')
  take()
  await run(2)
  assert.deepEqual(taken, ['a', 'b', 'closed'])
  assert.equal(await simulation.run({}), 'idle')
})
