import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderFindings } from './render-findings.ts'

test('audit-history: what left a gap in many records is said once', () => {
  const resources = ['a', 'b', 'c', 'd'].map((resource) => ({
    resource,
    puts: 0,
    marked: 0,
    ambiguous: 0,
    exceptions: 0,
    recordChanges: 1,
    recordingGaps: 1,
    storedVersions: {},
  }))
  const shown = renderFindings({
    afterRevision: 1,
    toRevision: 9,
    whole: true,
    puts: 0,
    marked: 0,
    ambiguous: 0,
    exceptions: 0,
    exempt: 0,
    resources,
    exceptionList: [],
  })
  assert.deepEqual(shown.match(/^.*were there meanwhile\.$/gm), [
    '4 resources (a, b, …): servers that do not record what they write were there meanwhile.',
  ])
})
