import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rehearsalSchemaFile, renderRehearsalSchema } from './rehearsal-schema.ts'

test('docs/reference/rehearsal.schema.json is current (node tools/rehearsal-schema.ts writes it)', () => {
  // The formatter breaks its lines in another way.
  assert.deepEqual(JSON.parse(readFileSync(rehearsalSchemaFile, 'utf8')), JSON.parse(renderRehearsalSchema()))
})
