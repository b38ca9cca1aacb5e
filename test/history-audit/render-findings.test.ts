import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistoryFindings } from './findings.ts'
import { renderFindings } from './render-findings.ts'

const none: HistoryFindings = {
  ...{ afterRevision: 1, toRevision: 9, whole: true, puts: 0, marked: 0, ambiguous: 0, unseen: 0 },
  ...{ exceptions: 0, exempt: 0, resources: [], exceptionList: [], missingKeys: [] },
}

test('history audit: one line for a gap in many records', () => {
  const resources = ['a', 'b', 'c', 'd'].map((resource) => ({
    resource,
    puts: 0,
    marked: 0,
    ambiguous: 0,
    unseen: 0,
    exceptions: 0,
    recordChanges: 1,
    recordingGaps: 1,
    storedVersions: {},
  }))
  const shown = renderFindings({ ...none, resources })
  assert.deepEqual(shown.match(/^.*were there meanwhile\.$/gm), [
    '4 resources (a, b, …): servers that do not record what they write were there meanwhile.',
  ])
})

test('history audit: unseen writes are named with the missing keys, and not called clean', () => {
  const missingKeys = ['k8s:enc:aescbc:v1:one:', 'k8s:enc:aesgcm:v1:two:']
  const lines = renderFindings({ ...none, puts: 5, marked: 5, unseen: 3, missingKeys }).split('\n')
  assert.deepEqual(lines.slice(1), [
    'NOT SEEN: 3 puts are under keys that were not given (k8s:enc:aescbc:v1:one:, k8s:enc:aesgcm:v1:two:); give them with --encryption-provider-config.',
    'No exceptions in what could be seen: each is in the version that its writer had recorded just before.',
  ])
})
