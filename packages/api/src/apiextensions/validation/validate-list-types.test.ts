import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../machinery/field-error.ts'
import { thingDefinition } from '../definition-for-test.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { validateDefinition } from './validate-definition.ts'

const a = 'spec.validation.openAPIV3Schema.properties[a]'
const field = (schema: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { a: schema } })
const list = (schema: JsonSchemaProps): JsonSchemaProps => field({ type: 'array', ...schema })
const text: JsonSchemaProps = { type: 'string' }

const cases: readonly [name: string, schema: JsonSchemaProps, errors: readonly string[]][] = [
  [
    'a list type of no list',
    field({ type: 'object', 'x-kubernetes-list-type': 'set' }),
    [`${a}.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified`],
  ],
  [
    'a list type of anything',
    field({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'atomic' }),
    [`${a}.type: Required value: must be array if x-kubernetes-list-type is specified`],
  ],
  [
    'an unknown list type',
    list({ items: text, 'x-kubernetes-list-type': 'bag' }),
    [`${a}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
  ],
  [
    'an unknown map type of no map',
    field({ type: 'string', 'x-kubernetes-map-type': 'bag' }),
    [
      `${a}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`,
      `${a}.x-kubernetes-map-type: Unsupported value: "bag": supported values: "atomic", "granular"`,
    ],
  ],
  [
    'keys without a list type',
    list({ items: text, 'x-kubernetes-list-map-keys': ['k'] }),
    [`${a}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`],
  ],
  [
    'keys of a set',
    list({ items: text, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['k'] }),
    [
      `${a}.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty`,
    ],
  ],
  [
    'a map of texts without keys',
    list({ items: text, 'x-kubernetes-list-type': 'map' }),
    [
      `${a}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      `${a}.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
    ],
  ],
  [
    'keys that are none',
    list({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'gone', 'o', 'k'],
      items: {
        type: 'object',
        nullable: true,
        required: ['o'],
        properties: { k: { type: 'string', nullable: true }, o: { type: 'object' } },
      },
    }),
    [
      `${a}.x-kubernetes-list-map-keys: Invalid value: ["k","gone","o","k"]: entries must all be names of item properties`,
      `${a}.items.properties[o].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      `${a}.x-kubernetes-list-map-keys: Invalid value: ["k","gone","o","k"]: must not contain duplicate entries`,
      `${a}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`,
      `${a}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      `${a}.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
      `${a}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      `${a}.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
    ],
  ],
  [
    'keys with a default',
    list({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string', default: 'x' } } },
    }),
    [],
  ],
  [
    'a set of objects',
    list({ 'x-kubernetes-list-type': 'set', items: { type: 'object' } }),
    [
      `${a}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    'a set of atomic objects',
    list({ 'x-kubernetes-list-type': 'set', items: { type: 'object', 'x-kubernetes-map-type': 'atomic' } }),
    [],
  ],
  [
    'a set of sets',
    list({
      'x-kubernetes-list-type': 'set',
      items: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    }),
    [
      `${a}.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    'a set of what may be nothing',
    list({ 'x-kubernetes-list-type': 'set', items: { type: 'string', nullable: true } }),
    [`${a}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`],
  ],
]

for (const [name, schema, errors] of cases) {
  test(`merging: ${name}`, () => {
    assert.deepEqual(validateDefinition(thingDefinition({ schema })).map(fieldErrorText), errors)
  })
}
