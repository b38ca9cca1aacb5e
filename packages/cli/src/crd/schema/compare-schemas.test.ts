import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchemaProps } from '@strata/api'
import { compareSchemas } from './compare-schemas.ts'

type Want = readonly string[]
const text: JsonSchemaProps = { type: 'string' }
const count: JsonSchemaProps = { type: 'integer' }
const any: JsonSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true }
const intOrString: JsonSchemaProps = { 'x-kubernetes-int-or-string': true }
const rule = (text: string, message?: string): JsonSchemaProps => ({
  type: 'object',
  'x-kubernetes-validations': [{ rule: text, ...(message === undefined ? {} : { message }) }],
})

/** Changes of the field `spec`, as `kind path`. Every pair is also compared the other way round. */
const rows: readonly [
  name: string,
  before: JsonSchemaProps,
  after: JsonSchemaProps,
  want: Want,
  back: Want,
][] = [
  ['the same', text, text, [], []],
  ['a type is narrowed', intOrString, count, ['type-narrowed spec'], []],
  ['number to integer', { type: 'number' }, count, ['type-narrowed spec'], []],
  ['any type to one', any, text, ['type-narrowed spec', 'preserve-unknown-fields-removed spec'], []],
  [
    'another type: nothing else is compared',
    text,
    { ...count, minimum: 3 },
    ['type-narrowed spec'],
    ['type-narrowed spec'],
  ],
  ['an enum is added', text, { ...text, enum: ['a'] }, ['enum-added spec'], []],
  ['an enum shrinks', { ...text, enum: ['a', 'b'] }, { ...text, enum: ['b'] }, ['enum-shrunk spec'], []],
  ['a pattern is added', text, { ...text, pattern: '^a' }, ['pattern-added spec'], []],
  [
    'a pattern changes',
    { ...text, pattern: 'a' },
    { ...text, pattern: 'b' },
    ['pattern-changed spec'],
    ['pattern-changed spec'],
  ],
  ['a format is added', text, { ...text, format: 'date-time' }, ['format-added spec'], []],
  ['a format that is not checked', text, { ...text, format: 'rainbow' }, [], []],
  ['a format that excludes nothing', count, { ...count, format: 'int64' }, [], []],
  ['int32', { ...count, format: 'int64' }, { ...count, format: 'int32' }, ['format-added spec'], []],
  ['minimum', count, { ...count, minimum: 0 }, ['minimum-added spec'], []],
  ['minimum is raised', { ...count, minimum: 1 }, { ...count, minimum: 2 }, ['minimum-tightened spec'], []],
  ['maximum is lowered', { ...count, maximum: 2 }, { ...count, maximum: 1 }, ['maximum-tightened spec'], []],
  [
    'a bound becomes exclusive',
    { ...count, maximum: 2 },
    { ...count, maximum: 2, exclusiveMaximum: true },
    ['maximum-tightened spec'],
    [],
  ],
  ['minLength 0 says nothing', text, { ...text, minLength: 0 }, [], []],
  ['maxLength is added', text, { ...text, maxLength: 63 }, ['max-length-added spec'], []],
  ['null is no longer allowed', { ...text, nullable: true }, text, ['nullable-removed spec'], []],
  ['a rule is added', { type: 'object' }, rule('self.x > 1', 'x'), ['rule-added spec'], []],
  ['a transition rule looks at changes only', { type: 'object' }, rule('self == oldSelf'), [], []],
  ['a rule has another message', rule('self.x > 1', 'x'), rule('self.x > 1', 'y'), [], []],
  [
    'required is added',
    { type: 'object', properties: { a: text } },
    { type: 'object', properties: { a: text }, required: ['a'] },
    ['required-added spec.a'],
    [],
  ],
  [
    'required, with a default',
    { type: 'object' },
    { type: 'object', properties: { a: { ...text, default: 'x' } }, required: ['a'] },
    [],
    ['property-removed spec.a'],
  ],
  [
    'a property is removed, deep inside',
    { type: 'array', items: { type: 'object', properties: { a: text, b: text } } },
    { type: 'array', items: { type: 'object', properties: { a: text } } },
    ['property-removed spec[*].b'],
    [],
  ],
  [
    'unknown fields are no longer kept',
    { type: 'object', ...any },
    { type: 'object', properties: { a: text } },
    ['preserve-unknown-fields-removed spec'],
    // It keeps the field, of any type.
    [],
  ],
  [
    'a map becomes narrower',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: { ...text, maxLength: 3 } },
    ['max-length-added spec.*'],
    [],
  ],
  [
    'a map becomes an object',
    { type: 'object', additionalProperties: text },
    { type: 'object', properties: { a: text } },
    ['additional-properties-removed spec'],
    [],
  ],
  [
    'a list of unique items',
    { type: 'array', items: text },
    { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    ['list-type-changed spec'],
    [],
  ],
  ['a combination is added', text, { ...text, anyOf: [{ pattern: 'a' }] }, ['any-of-added spec'], []],
  [
    'an embedded resource',
    { type: 'object', ...any },
    { type: 'object', ...any, 'x-kubernetes-embedded-resource': true },
    ['embedded-added spec'],
    [],
  ],
]

const changesOf = (before: JsonSchemaProps, after: JsonSchemaProps): string[] => {
  const rooted = (spec: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { spec } })
  return compareSchemas(rooted(before), rooted(after)).map(({ kind, path }) => `${kind} ${path}`)
}

for (const [name, before, after, want, back] of rows) {
  test(`schema changes: ${name}`, () => {
    assert.deepEqual(changesOf(before, after), want)
    assert.deepEqual(changesOf(after, before), back, 'the other way round')
  })
}

test('schema changes: what every object has is left alone', () => {
  const meta = { apiVersion: text, kind: text, metadata: { type: 'object' } }
  assert.deepEqual(
    compareSchemas({ type: 'object', properties: meta }, { type: 'object', required: ['metadata'] }),
    [],
  )
})

test('schema changes: a place in the new schema, the effect and the words', () => {
  const inSpec = (spec: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { spec } })
  const rules = inSpec(rule('self.x > 1', 'x must be large'))
  assert.deepEqual(compareSchemas(inSpec({ type: 'object' }), rules), [
    {
      path: 'spec',
      kind: 'rule-added',
      effect: 'invalid',
      message: 'new rule "self.x > 1" (x must be large)',
      at: ['properties', 'spec', 'x-kubernetes-validations', 0],
    },
  ])
})
