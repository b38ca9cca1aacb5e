import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signal } from '@preact/signals'
import type { Observed } from '../live/observed.ts'
import { nowMs, observedFleet } from '../live/observed-for-test.ts'
import { placeOf } from '../model/timeline/time-window.ts'
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

const hourMs = 3_600_000
const asked: ReadonlyArray<
  [name: string, ageMs: number, isUnknown: boolean, place: (at: number) => boolean]
> = [
  ['in the window, before the page was opened', 60_000, true, (at) => at > 0.8 && at < 0.95],
  ['of long ago: it is in the middle', 5 * hourMs, true, (at) => Math.abs(at - 0.5) < 0.001],
  ['of yesterday', 24 * hourMs, true, (at) => Math.abs(at - 0.5) < 0.001],
  ['that it has seen', 0, false, (at) => at > 0.95 && at < 1],
  ['of the future: the window ends now', -hourMs, false, (at) => at > 1],
]
for (const [name, ageMs, isUnknown, isRight] of asked)
  test(`timeline: a link to a moment ${name}`, () => {
    const timeline = new Timeline({
      ...{ observed: signal<Observed>({ ...observedFleet(['a'], []), atMs: nowMs }), played: signal([]) },
      ...{ moment: signal<Observed | undefined>(undefined), nowMs: signal(nowMs), onSettled: () => {} },
    })
    timeline.show(nowMs - ageMs)
    const stop = timeline.follow()
    assert.equal(timeline.isUnknown.value, isUnknown)
    const place = placeOf(timeline.window.value, nowMs - ageMs)
    assert.ok(isRight(place), `at ${place}`)
    stop()
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
