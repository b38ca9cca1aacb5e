import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ChangeTimer,
  type Claim,
  claimAnnotation,
  claimIn,
  claimText,
  releasingAnnotations,
  wasClaimed,
} from './claim.ts'

const claim: Claim = { by: 'command', id: 'one', hostname: 'h', bootId: 'b', pid: 7, startTicks: '9' }

test('claim: what stands on the object is read back, and no annotation is no claim', () => {
  assert.deepEqual(claimIn({ [claimAnnotation]: claimText(claim) }), claim)
  for (const annotations of [undefined, {}, { [claimAnnotation]: '' }]) {
    assert.equal(claimIn(annotations), undefined)
  }
})

test('claim: one that cannot be read is of an unknown process', () => {
  for (const text of ['me', '{}']) {
    const { by, id } = claimIn({ [claimAnnotation]: text }) ?? {}
    assert.deepEqual([by, id], ['unknown', text])
  }
})

test('claim: one that was released is no claim, and not of another migrator', () => {
  const annotations = { [claimAnnotation]: releasingAnnotations[claimAnnotation] ?? 'kept' }
  assert.deepEqual([claimIn(annotations), wasClaimed(annotations), wasClaimed({})], [undefined, true, false])
})

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
