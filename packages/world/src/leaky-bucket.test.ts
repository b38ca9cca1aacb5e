import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeakyBucket } from './leaky-bucket.ts'

test('leaky bucket: what was spent is forgotten at a steady rate, and never below nothing', () => {
  const bucket = new LeakyBucket(10)
  const steps: ReadonlyArray<[units: number, atMs: number, left: number]> = [
    [50, 0, 50],
    [1, 0, 51],
    [0, 2_000, 31],
    [5, 60_000, 5],
    [-20, 60_000, 0],
    [3, 60_000, 3],
  ]
  for (const [units, atMs, left] of steps) assert.equal(bucket.add(units, atMs), left)
})
