import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { badRehearsals, goodRehearsal } from '@strata/rehearsal/bad-rehearsals-for-test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { rehearsalSchemaFile, renderRehearsalSchema } from './rehearsal-schema.ts'
import { root } from './repository.ts'

const schema = JSON.parse(readFileSync(rehearsalSchemaFile, 'utf8'))

test('docs/reference/rehearsal.schema.json is current (node tools/rehearsal-schema.ts writes it)', () => {
  // The formatter breaks its lines in another way.
  assert.deepEqual(schema, JSON.parse(renderRehearsalSchema()))
})

const validate = new Ajv({ allErrors: true }).compile(schema)
const folder = join(root, 'examples/rehearsals')

test('the schema takes what the reader takes: the examples, and the good rehearsal of its test', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  assert.ok(files.length > 0)
  const read = files.map((name) => [name, parse(readFileSync(join(folder, name), 'utf8'))] as const)
  for (const [name, value] of [...read, ['good', goodRehearsal] as const])
    assert.ok(validate(value), `${name}: ${JSON.stringify(validate.errors)}`)
})

/** What no schema can say: these compare one field, or step, with another. */
const onlyTheReader = new Set([
  'votes without Strata',
  'a first step that is no release',
  'a second release',
  'an unknown release',
  'a server that is not there',
  'every server late',
  'a snapshot later than at the start',
  'a cluster for kinds of a program',
  'a prune without CRDs',
])

test('the schema refuses what the reader refuses, unless it compares two fields', () => {
  const taken = badRehearsals.flatMap(([name, value]) => (validate(value) ? [name] : []))
  assert.deepEqual(new Set(taken), onlyTheReader)
})
