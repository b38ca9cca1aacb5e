import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText, invalid } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { validateDefaults } from './validate-defaults.ts'

const root = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const embedded: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true }

const cases: ReadonlyArray<[name: string, schema: Schema, ...wanted: string[]]> = [
  ['none', root({ a: { type: 'string' } })],
  ['good ones', root({ a: { type: 'string', default: 'x' }, b: { ...root({ c: {} }), default: { c: 1 } } })],
  [
    'of another type',
    root({ a: { type: 'string', default: 1 } }),
    's.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
  ],
  [
    'with something wrong inside',
    root({ a: { ...root({ b: { type: 'integer', maximum: 3 } }), required: ['c'], default: { b: 4 } } }),
    's.properties[a].default.b: Invalid value: 4: b in body should be less than or equal to 3',
    's.properties[a].default.c: Required value',
  ],
  [
    'with fields that are not specified',
    root({ a: { type: 'object', default: { x: 1 } } }),
    's.properties[a].default: Invalid value: {"x":1}: must not have unknown fields',
  ],
  [
    'with fields that are kept',
    root({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { x: 1 } } }),
  ],
  [
    'of items',
    root({ l: { type: 'array', items: root({ a: { type: 'boolean', default: 'x' } }) } }),
    's.properties[l].items.properties[a].default: Invalid value: "string":  in body must be of type boolean: "string"',
  ],
  [
    'of embedded resources, which need a kind',
    root({ e: { ...embedded, default: { apiVersion: 'v1' } } }),
    's.properties[e].default.kind: Required value',
  ],
  [
    'of embedded resources whose metadata is none',
    root({ e: { ...embedded, default: { apiVersion: 'v1', kind: 'A', metadata: 1 } } }),
    's.properties[e].default.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
  ],
  ['in metadata', root({ metadata: root({ name: { type: 'string', default: 'a' } }) })],
  [
    'in metadata, where it would be wrong',
    root({ metadata: root({ name: { type: 'string', default: '%' } }) }),
    `s.properties[metadata].properties[name].default: Invalid value: "%": must result in valid metadata: metadata.name: Invalid value: "%": may not contain '%'`,
  ],
  [
    'in metadata, where it could not be read',
    root({ e: { ...embedded, properties: { metadata: root({ name: { default: 5 } }) } } }),
    's.properties[e].properties[metadata].properties[name].default: Invalid value: 5: must result in valid metadata: metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  ],
  [
    'of the kind',
    root({ kind: { type: 'string', default: 'a.b' } }),
    `s.properties[kind].default: Invalid value: "a.b": must result in valid metadata: kind: Invalid value: "a.b": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  ],
]

for (const [name, schema, ...wanted] of cases) {
  test(`validate defaults: ${name}`, () => {
    const before = structuredClone(schema)
    assert.deepEqual(validateDefaults(schema, 's').map(fieldErrorText), wanted)
    assert.deepEqual(schema, before)
  })
}

test('validate defaults: what is not specified may be allowed', () => {
  const schema = root({ a: { type: 'object', default: { x: 1 } } })
  assert.deepEqual(validateDefaults(schema, 's', { requirePruned: false }), [])
})

test('validate defaults: rules are asked only about what is right otherwise', () => {
  const a: Schema = { type: 'string', default: 'x' }
  const b: Schema = { type: 'string', default: 1 }
  const asked: unknown[] = []
  const errors = validateDefaults(root({ a, b }), 's', {
    rules: (schema, value, path, isResourceRoot) => {
      asked.push([schema, value, path, isResourceRoot])
      return [invalid(path, value, 'no')]
    },
  })
  assert.deepEqual(asked, [[a, 'x', 's.properties[a].default', false]])
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['s.properties[a].default', 's.properties[b].default'],
  )
})
