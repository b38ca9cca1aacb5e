import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signal } from '@preact/signals'
import type { Observed } from '../live/observed.ts'
import { nowMs, observedFleet } from '../live/observed-for-test.ts'
import { Timeline } from './timeline-state.ts'

test('timeline: the events of a mark are listed until another moment is shown', () => {
  const event = { id: '1', lane: 'servers', tone: 'plain', text: 'a joined' } as const
  const settled: (number | undefined)[] = []
  const timeline = new Timeline({
    ...{ observed: signal({ ...observedFleet([], []), atMs: nowMs }), moment: signal(undefined) },
    ...{ nowMs: signal(nowMs), played: signal([]), onSettled: (atMs) => settled.push(atMs) },
  })
  const events = [
    { ...event, atMs: nowMs - 2 },
    { ...event, id: '2', atMs: nowMs - 1 },
  ]
  timeline.pick(events)
  assert.deepEqual([timeline.picked.value, timeline.atMs.value, settled], [events, nowMs - 1, [nowMs - 1]])
  timeline.open(undefined)
  assert.deepEqual(timeline.picked.value, [])
})

test('timeline: a moment while the machine slept, or of the future, is told as the one that was seen last', () => {
  const first = { ...observedFleet(['a', 'b'], []), atMs: nowMs }
  const observed = signal<Observed>(first)
  const timeline = new Timeline({
    ...{ observed, moment: signal<Observed | undefined>(undefined), nowMs: signal(nowMs) },
    ...{ played: signal([]), onSettled: () => {} },
  })
  const stop = timeline.follow()
  const hour = 3_600_000
  observed.value = { ...first, atMs: nowMs + hour }
  const seenAt = (atMs: number): number | undefined => {
    timeline.show(atMs)
    return timeline.seenMs.value
  }
  assert.deepEqual(
    [seenAt(nowMs), seenAt(nowMs + 30_000), seenAt(nowMs + hour + 1)],
    [undefined, undefined, undefined],
  )
  assert.equal(seenAt(nowMs + hour / 2), nowMs)
  assert.equal(seenAt(nowMs + 2 * hour), nowMs + hour)
  stop()
})
