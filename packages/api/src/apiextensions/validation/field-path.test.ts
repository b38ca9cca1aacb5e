import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { findField } from './field-path.ts'

const text: JsonSchemaProps = { type: 'string' }
const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'object', properties: { 'b.c': text, "it's": text } },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    any: { type: 'object', additionalProperties: true },
    list: { type: 'array', items: text },
  },
}

const cases: readonly [path: string, found: string | readonly string[]][] = [
  ['.a', ['a']],
  ['.map.x', ['map', 'x']],
  [".map['x.y']", ['map', 'x.y']],
  [".a['b.c']", ['a', 'b.c']],
  ["['a']['b.c']", ['a', 'b.c']],
  [".a['it\\'s']", ['a', "it's"]],
  ['.any.x', ['any', 'x']],
  ['.any.x.y', 'does not refer to a valid field'],
  ['.b', 'does not refer to a valid field'],
  ['.a.b.c', 'does not refer to a valid field'],
  ['.list.0', 'does not refer to a valid field'],
  ['.constructor', 'does not refer to a valid field'],
  ['a', 'expected [ or . but got: a'],
  ['.', 'unexpected end of JSON path'],
  ['.a[', 'unexpected end of JSON path'],
  ['.a[0]', 'expected single quoted string but got 0'],
  [".a['b.c'", 'unexpected end of JSON path'],
  [".a['b.c'.", 'expected ] but got .'],
  [".a['b\\q']", 'invalid string literal: invalid escape char \\q'],
]

for (const [path, want] of cases) {
  test(`field path: ${path}`, () => {
    const found = findField(path, schema)
    assert.deepEqual('problem' in found ? found.problem : found.names, want)
  })
}

test('field path: brackets are not for everyone', () => {
  assert.deepEqual(findField(".a['b.c']", schema, { allowBrackets: false }), {
    problem: 'array notation is not allowed',
  })
})
