import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import { fieldErrorText } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const small: Schema = { type: 'integer', maximum: 50 }
const word: Schema = { type: 'string', maxLength: 3 }
const item: Schema = { type: 'object', properties: { k: { type: 'string' }, n: small, w: word } }
const schema: Schema = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['B'] },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      maxProperties: 9,
      properties: {
        small,
        word,
        nested: { type: 'object', required: ['must'], properties: { small, must: word } },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          maxItems: 2,
          items: item,
        },
        atomic: { type: 'array', items: item },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: small },
        map: { type: 'object', additionalProperties: item },
        choice: {
          type: 'object',
          properties: { a: word, b: word },
          anyOf: [{ properties: { a: { enum: ['x'] } } }],
        },
        strange: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 1 },
      },
    },
  },
}
const structural = compileStructuralSchema(schema)

const cases: ReadonlyArray<[name: string, spec: unknown, old: unknown, ...paths: string[]]> = [
  ['what is wrong and unchanged', { small: 500 }, { small: 500 }],
  ['beside a change', { small: 500, word: 'a' }, { small: 500, word: 'b' }],
  ['changed to something else that is wrong', { small: 501 }, { small: 500 }, 'spec.small'],
  ['new', { small: 500 }, {}, 'spec.small'],
  ['a missing field of an unchanged object', { nested: { small: 1 } }, { nested: { small: 1 } }],
  [
    'a missing field of a changed object',
    { nested: { small: 2 } },
    { nested: { small: 1 } },
    'spec.nested.must',
  ],
  [
    'a wrong field of a changed object',
    { nested: { small: 99, must: 'b' } },
    { nested: { small: 99, must: 'a' } },
  ],
  ['an item with the same key', { keyed: [{ k: 'a', n: 99 }] }, { keyed: [{ k: 'b' }, { k: 'a', n: 99 }] }],
  [
    'a field of a changed item with the same key',
    { keyed: [{ k: 'a', n: 99, w: 'x' }] },
    { keyed: [{ k: 'a', n: 99 }] },
  ],
  [
    'an item with another key',
    { keyed: [{ k: 'c', n: 99 }] },
    { keyed: [{ k: 'a', n: 99 }] },
    'spec.keyed[0].n',
  ],
  [
    'items that changed places',
    { keyed: [{ k: 'b' }, { k: 'a', n: 99 }] },
    { keyed: [{ k: 'a', n: 99 }, { k: 'b' }] },
  ],
  [
    'an item of a list without keys that changed',
    { atomic: [{ n: 99 }, {}] },
    { atomic: [{ n: 99 }] },
    'spec.atomic[0].n',
  ],
  ['a list without keys that did not', { atomic: [{ n: 99 }] }, { atomic: [{ n: 99 }] }],
  [
    'too many items that changed places',
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c', n: 1 }] },
    { keyed: [{ k: 'c', n: 1 }, { k: 'b' }, { k: 'a' }] },
  ],
  [
    'too many items, one of which changed',
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c', n: 2 }] },
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c', n: 1 }] },
    'spec.keyed',
  ],
  [
    'too many items, and one more',
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c' }, { k: 'd' }] },
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c' }] },
    'spec.keyed',
  ],
  [
    'too many items where there was no list',
    { keyed: [{ k: 'a' }, { k: 'b' }, { k: 'c' }] },
    { keyed: 1 },
    'spec.keyed',
  ],
  ['a set that grew', { set: [99, 1] }, { set: [99] }, 'spec.set[0]'],
  ['a set that did not', { set: [99] }, { set: [99] }],
  ['a value of a map that grew', { map: { a: { n: 99 }, b: {} } }, { map: { a: { n: 99 } } }],
  ['a new value of a map', { map: { b: { n: 99 } } }, { map: { a: { n: 99 } } }, 'spec.map.b.n'],
  [
    'a field that only an alternative dislikes',
    { choice: { a: 'y', b: '1' } },
    { choice: { a: 'y', b: '2' } },
  ],
  [
    'an alternative that is newly disliked',
    { choice: { a: 'z' } },
    { choice: { a: 'y' } },
    '<nil>',
    'spec.choice.a',
  ],
  [
    'what the schema does not know, unchanged',
    { strange: { x: 1, y: [2] }, word: 'a' },
    { strange: { x: 1, y: [2] } },
  ],
  [
    'what the schema does not know, changed',
    { strange: { x: 1, y: 2 } },
    { strange: { x: 1, y: 3 } },
    'spec.strange',
  ],
  ['another type', { small: 'x' }, { small: 500 }, 'spec.small'],
]

for (const [name, spec, old, ...paths] of cases) {
  test(`ratcheting: ${name}`, () => {
    const object = { kind: 'B', metadata: { name: 'a' }, spec } as ApiObject
    const stored = { kind: 'B', metadata: {}, spec: old } as ApiObject
    assert.deepEqual(
      structural.validateUpdate(object, stored).map(({ path }) => path),
      paths,
    )
    assert.deepEqual(structural.validateUpdate(object, object), [])
  })
}

test('ratcheting: the kind of a changed object is checked always', () => {
  const [object, stored] = [
    { kind: 'A', metadata: { name: 'b' } },
    { kind: 'A', metadata: { name: 'a' } },
  ] as const
  assert.deepEqual(structural.validateUpdate(object, stored).map(fieldErrorText), [
    'kind: Unsupported value: "A": supported values: "B"',
  ])
})

test('ratcheting: an embedded resource that was wrong before is still wrong', () => {
  const embedding = compileStructuralSchema({
    type: 'object',
    properties: { e: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  })
  const object = { metadata: {}, e: { apiVersion: 'v1' } } as ApiObject
  assert.deepEqual(embedding.validateUpdate(object, object).map(fieldErrorText), ['e.kind: Required value'])
})

test('ratcheting: a status is seen from itself', () => {
  const withStatus = compileStructuralSchema({
    type: 'object',
    required: ['spec'],
    properties: {
      status: {
        type: 'object',
        required: ['phase'],
        properties: { phase: word, n: small, list: { type: 'array', 'x-kubernetes-list-type': 'set' } },
      },
    },
  })
  const stored = { metadata: {}, status: { phase: 'toolong', n: 1 } } as ApiObject
  const next = { metadata: {}, status: { phase: 'toolong', n: 99, list: [1, 1] } } as ApiObject
  assert.deepEqual(withStatus.validateStatusUpdate(next, stored).map(fieldErrorText), [
    'status.n: Invalid value: 99: n in body should be less than or equal to 50',
    'status.list[1]: Duplicate value: 1',
  ])
  assert.deepEqual(withStatus.validateStatusUpdate({ metadata: {}, status: 1 }, stored).map(fieldErrorText), [
    'status: Invalid value: "integer":  in body must be of type object: "integer"',
  ])
  assert.deepEqual(withStatus.validateStatusUpdate({ metadata: {} }, stored), [])
})

test('ratcheting: of a million mistakes not all are looked for', () => {
  const { validate, validateUpdate } = compileStructuralSchema(schema)
  const wrong = (more: object): ApiObject => ({
    ...{ kind: 'B', metadata: {} },
    spec: { atomic: Array.from({ length: 30_000 }, () => ({ n: 99 })), ...more },
  })
  assert.equal(validate(wrong({ small: 99 })).length, 10_000)
  // What was wrong before takes no place of what is wrong now.
  const found = validateUpdate(wrong({ small: 99 }), wrong({}))
  assert.deepEqual(
    found.map(({ path }) => path),
    ['spec.small'],
  )
})
