import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rehearsalExamplesFile, renderRehearsalExamples } from './rehearsal-examples.ts'

test('the examples of the dashboard are those of examples/rehearsals (node tools/rehearsal-examples.ts writes them)', () => {
  // The formatter breaks its lines in another way.
  assert.deepEqual(
    JSON.parse(readFileSync(rehearsalExamplesFile, 'utf8')),
    JSON.parse(renderRehearsalExamples()),
  )
})
