import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventQueue, type SimEvent } from './event-queue.ts'
import { createSimRandom } from './prng.ts'

test('event queue: pops in order, whatever was cancelled meanwhile', () => {
  const random = createSimRandom('queue')
  const queue = new EventQueue()
  const events: SimEvent[] = Array.from({ length: 1000 }, (_, sequence) => ({
    atMs: Math.floor(random.fraction() * 50),
    round: Math.floor(random.fraction() * 2),
    tie: Math.floor(random.fraction() * 3),
    sequence,
    owner: '-',
    label: '',
    run: () => {},
  }))
  for (const event of events) queue.push(event)
  // Enough of them that the queue sweeps; twice, because cancelling twice must count once.
  const cancelled = events.filter((event) => event.sequence % 10 !== 0)
  for (const event of [...cancelled, ...cancelled]) queue.cancel(event)

  const popped: number[] = []
  for (let event = queue.pop(); event; event = queue.pop()) popped.push(event.sequence)
  const want = events
    .filter((event) => event.sequence % 10 === 0)
    .sort((a, b) => a.atMs - b.atMs || a.round - b.round || a.tie - b.tie || a.sequence - b.sequence)
  assert.deepEqual(
    popped,
    want.map((event) => event.sequence),
  )
})
