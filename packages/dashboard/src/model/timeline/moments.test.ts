import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observed } from '../../live/observed.ts'
import { nowMs, observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { Moments } from './moments.ts'

const first = observedFleet(['a', 'b'], [recordOf('things', { a: 'v1', b: 'v1' })])
const later = (ms: number, change: Partial<Observed> = {}): Observed => ({
  ...first,
  ...change,
  atMs: nowMs + ms,
})
const switched = observedFleet(['a', 'b'], [recordOf('things', { a: 'v2', b: 'v1' })]).records

function remembered(most: number, ...observed: readonly Observed[]): Moments {
  const moments = new Moments(most)
  for (const each of observed) moments.remember(each)
  return moments
}

const changes: ReadonlyArray<[name: string, change: Partial<Observed>, isKept: boolean]> = [
  ['a record', { records: switched }, true],
  ['a lost connection', { unseen: { because: 'gone', sinceMs: 0 } as never }, true],
  ['a server that leaves', { leases: observedFleet(['a'], []).leases }, true],
  ['Leases that are renewed', { leases: { ...first.leases, objects: [...first.leases.objects] } }, false],
]
for (const [name, change, isKept] of changes)
  test(`moments: ${name}: ${isKept ? 'kept at once' : 'not worth a moment'}`, () => {
    const changed = later(1_000, change)
    assert.equal(remembered(9, first, changed).at(nowMs + 1_000), isKept ? changed : first)
  })

test('moments: when nothing happens, one is kept every few seconds', () => {
  const quiet = later(6_000)
  assert.equal(remembered(9, first, later(2_000), quiet).at(nowMs + 7_000), quiet)
})

test('moments: what was shown at a time is what was seen last before it', () => {
  const all = [0, 10, 20, 30].map((second) => later(second * 1_000))
  const moments = remembered(9, ...all)
  assert.equal(moments.at(nowMs + 19_999), all[1])
  assert.equal(moments.at(nowMs + 20_000), all[2])
  assert.equal(moments.at(nowMs + 99_000), all[3])
})

test('moments: nothing is known of the time before the page, nor of what is forgotten', () => {
  const all = Array.from({ length: 12 }, (_, index) => later(index * 10_000))
  assert.equal(remembered(10, ...all).at(nowMs - 1), undefined)
  assert.equal(remembered(10, ...all).at(nowMs), undefined)
  assert.equal(remembered(10, ...all).at(nowMs + 110_000), all[11])
})
