import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claim, claimAnnotation, claimIn, claimText, releasingAnnotations, wasClaimed } from './claim.ts'

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
