import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingGapReasons, storageAgreements } from './storage-agreement.ts'

test('agreement record: programs find in the schema why there can be a gap', () => {
  const { schema } = storageAgreements.versions['v1alpha1'] ?? assert.fail()
  const gap = schema.properties?.['status']?.properties?.['recordingGap']
  assert.deepEqual(gap?.properties?.['reason']?.enum, [...recordingGapReasons])
})
