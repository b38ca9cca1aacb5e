import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pan, placeOf, spanOf, ticksOf, timeAt, windowUpTo, zoom } from './time-window.ts'

const minute = 60_000
const window = { fromMs: 0, toMs: 10 * minute }

test('window: the time under the pointer stays where it is, however much is shown', () => {
  for (const factor of [0.1, 0.5, 2, 8]) {
    const zoomed = zoom(window, factor, 0.25)
    assert.equal(spanOf(zoomed), factor * 10 * minute)
    assert.equal(timeAt(zoomed, 0.25), timeAt(window, 0.25))
  }
})

test('window: between ten seconds and a day are shown', () => {
  assert.equal(spanOf(zoom(window, 0.000_001, 0.5)), 10_000)
  assert.equal(spanOf(zoom(window, 1_000_000, 0.5)), 24 * 60 * minute)
})

test('window: now is near its right edge', () => {
  const newest = windowUpTo(100 * minute, 10 * minute)
  assert.equal(spanOf(newest), 10 * minute)
  assert.equal(placeOf(newest, 100 * minute), 0.98)
})

const moves: ReadonlyArray<[name: string, part: number, from: number]> = [
  ['into the past', -0.5, 85.2],
  ['as far as now, and no further', 3, 90.2],
]
for (const [name, part, from] of moves)
  test(`window: it moves ${name}`, () => {
    const moved = pan(windowUpTo(100 * minute, 10 * minute), part, 100 * minute)
    assert.deepEqual([moved.fromMs / minute, spanOf(moved) / minute], [from, 10])
  })

const ticks: ReadonlyArray<[span: string, toMs: number, most: number, want: readonly number[]]> = [
  ['ten seconds', 10_000, 5, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
  ['ten minutes', 10 * minute, 4, [0, 5 * minute, 10 * minute]],
  ['a day', 24 * 60 * minute, 4, [0, 6, 12, 18, 24].map((hour) => hour * 60 * minute)],
]
for (const [span, toMs, most, want] of ticks)
  test(`ticks: ${span}, at round times`, () => assert.deepEqual(ticksOf({ fromMs: 0, toMs }, most), want))

test('ticks: hours are those of the clock on the wall', () => {
  const halfHour = 30 * minute
  const [first] = ticksOf({ fromMs: 0, toMs: 12 * 60 * minute }, 12, halfHour)
  assert.equal(first, halfHour)
})
