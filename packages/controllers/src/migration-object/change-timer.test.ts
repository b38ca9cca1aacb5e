import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeTimer } from './change-timer.ts'

test('stillness: counts from the first look at a mark, each key by itself', () => {
  let nowMs = 100
  const still = new ChangeTimer({ monotonicMs: () => nowMs } as ConstructorParameters<typeof ChangeTimer>[0])
  assert.equal(still.unchangedForMs('a', '1'), 0)
  nowMs += 50
  assert.equal(still.unchangedForMs('a', '1'), 50)
  assert.equal(still.unchangedForMs('b', '1'), 0)
  assert.equal(still.unchangedForMs('a', '2'), 0)
  nowMs += 10
  assert.equal(still.unchangedForMs('a', '2'), 10)
  still.keepOnly(new Set(['a']))
  assert.deepEqual([still.unchangedForMs('a', '2'), still.unchangedForMs('b', '1')], [10, 0])
})
