import assert from 'node:assert/strict'
import { test } from 'node:test'
import { humanDuration } from './human-duration.ts'

const [minute, hour, day] = [60, 3_600, 86_400]
const cases: ReadonlyArray<[seconds: number, want: string]> = [
  [-2, '<invalid>'],
  [-1.9, '0s'],
  [0, '0s'],
  [0.9, '0s'],
  [119, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 1, '2m1s'],
  [10 * minute - 1, '9m59s'],
  [10 * minute + 59, '10m'],
  [3 * hour - 1, '179m'],
  [3 * hour, '3h'],
  [3 * hour + minute, '3h1m'],
  [8 * hour - 1, '7h59m'],
  [8 * hour + 59 * minute, '8h'],
  [48 * hour - 1, '47h'],
  [2 * day, '2d'],
  [2 * day + hour, '2d1h'],
  [8 * day - 1, '7d23h'],
  [8 * day + 23 * hour, '8d'],
  [2 * 365 * day - 1, '729d'],
  [2 * 365 * day, '2y'],
  [2 * 365 * day + day, '2y1d'],
  [8 * 365 * day - 1, '7y364d'],
  [8 * 365 * day + 200 * day, '8y'],
]
for (const [seconds, want] of cases) {
  test(`human duration: ${seconds} seconds are ${want}`, () =>
    assert.equal(humanDuration(seconds * 1_000), want))
}
