import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimate } from './statistics.ts'

test('statistics: the median of twenty values lies between the sixth and the fifteenth', () => {
  const values = Array.from({ length: 20 }, (_, index) => index + 1)
  assert.deepEqual(estimate(values), { median: 10.5, low: 6, high: 15, samples: 20 })
})

test('statistics: few values have a wide interval', () => {
  assert.deepEqual(estimate([3, 1, 2]), { median: 2, low: 1, high: 3, samples: 3 })
})
