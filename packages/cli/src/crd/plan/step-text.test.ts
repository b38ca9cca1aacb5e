import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrdStep } from './crd-plan.ts'
import { stepText } from './step-text.ts'

test('steps: the file that is applied is the new one, and on the way back the old one', () => {
  const steps: readonly CrdStep[] = [
    { do: 'bridge', versions: ['v1alpha1', 'v1'], storage: 'v1', conversion: 'wanted' },
    { do: 'apply' },
  ]
  assert.deepEqual(
    steps.map((step) => stepText(step)),
    [
      'apply a bridge with the versions v1alpha1, v1 (storage) and the conversion of the new file',
      'apply the new file',
    ],
  )
  assert.deepEqual(
    steps.map((step) => stepText(step, 'old')),
    [
      'apply a bridge with the versions v1alpha1, v1 (storage) and the conversion of the old file',
      'apply the old file',
    ],
  )
})
