import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { LargeBodies } from './large-bodies.ts'

test('large bodies: a small one does not wait', () => {
  assert.equal(new LargeBodies({} as Clock).turn(1000), undefined)
})

test('large bodies: one for each turn, in the order in which they came', async () => {
  const soon: (() => void)[] = []
  const bodies = new LargeBodies({ soon: (callback: () => void) => soon.push(callback) } as unknown as Clock)
  const seen: number[] = []
  const all = [1, 2, 3].map((each) => bodies.turn(1_000_000)?.then(() => seen.push(each)))
  for (let turn = 1; turn <= 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(soon.length, 1, 'one body per turn')
    soon.pop()?.()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(seen.length, turn)
  }
  await Promise.all(all)
  assert.deepEqual(seen, [1, 2, 3])
})
