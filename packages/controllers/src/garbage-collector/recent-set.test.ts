import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentSet } from './recent-set.ts'

test('recent set: the oldest is dropped first, and an item that is added again is new', () => {
  const set = new RecentSet(2)
  for (const item of ['a', 'b', 'a', 'c']) set.add(item)
  assert.deepEqual(
    ['a', 'b', 'c'].map((item) => set.has(item)),
    [true, false, true],
  )
})
