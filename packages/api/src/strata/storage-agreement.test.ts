import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownReasons } from './persisted.ts'
import { recordingGapReasons, storageAgreements } from './storage-agreement.ts'

const { schema } = storageAgreements.versions['v1alpha1'] ?? assert.fail()
const status = schema.properties?.['status']?.properties

test('agreement record: programs find in the schema why there can be a gap', () => {
  assert.deepEqual(status?.['recordingGap']?.properties?.['reason']?.enum, [...recordingGapReasons])
})

test('agreement record: and why it is unknown what may be stored', () => {
  assert.deepEqual(status?.['persisted']?.items?.properties?.['reason']?.enum, [...unknownReasons])
})
