import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thingDefinition } from './definition-for-test.ts'
import { definitionWarnings } from './definition-warnings.ts'
import type { JsonSchemaProps } from './json-schema-props.ts'

const cases: readonly [field: JsonSchemaProps, warnings: readonly string[]][] = [
  [{ type: 'string', format: 'date-time' }, []],
  [{ type: 'string', format: 'k8s-short-name' }, []],
  [{ type: 'integer', format: 'int64' }, []],
  [{ type: 'string', format: 'int64' }, ['unrecognized format "int64"']],
  [{ type: 'integer', format: 'uint32' }, ['unrecognized format "uint32"']],
  [{ type: 'object', format: 'uri' }, ['unrecognized format "uri"']],
  [
    { type: 'array', items: { type: 'string', format: 'x' }, anyOf: [{ format: 'x' }] },
    ['unrecognized format "x"'],
  ],
]
for (const [field, warnings] of cases) {
  test(`warnings: ${JSON.stringify(field)}`, () => {
    const definition = thingDefinition({ schema: { type: 'object', properties: { a: field } } })
    assert.deepEqual(definitionWarnings(definition, undefined), warnings)
    assert.deepEqual(definitionWarnings(definition, definition), [])
  })
}
