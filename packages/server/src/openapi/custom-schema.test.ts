import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeMetaProperties } from '@strata/api'
import type { Json } from './components.ts'
import { customKindSchema, customListSchema, type Dialect } from './custom-schema.ts'
import { customKindSwagger } from './custom-swagger-schema.ts'

const v3: Dialect = { refer: (name) => ({ v3: name }), isSwagger: false }
const v2: Dialect = { refer: (name) => ({ v2: name }), isSwagger: true }
const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** One field in each form. */
function published(field: Json): { inV3: unknown; inV2: unknown } {
  const schema = { type: 'object', properties: { field } } as const
  const fieldOf = (kind: Json): unknown => (kind['properties'] as Json)['field']
  return {
    inV3: fieldOf(customKindSchema(schema, v3)),
    inV2: fieldOf(customKindSwagger(schema as object, v2)),
  }
}

const text = { type: 'string' }
const intOrText = [{ type: 'integer' }, { type: 'string' }]
const isEither = { 'x-kubernetes-int-or-string': true }
const isOpen = { 'x-kubernetes-preserve-unknown-fields': true }
const described = { ...text, description: 'A.', format: 'uuid', title: 'T', pattern: '^a$', minLength: 0 }
const rules = { 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be' }] }

/** Where v2 is not given, it equals v3. */
const cases: ReadonlyArray<[name: string, field: Json, inV3: Json, inV2?: Json]> = [
  ['what is said of a field', described, described],
  ['what is not said', { ...text, description: '', nullable: false, required: [], pattern: '' }, text],
  ['properties of none', { type: 'object', properties: {} }, { type: 'object' }],
  [
    'limits',
    { type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true },
    {
      type: 'integer',
      minimum: 0,
      maximum: 9,
      exclusiveMaximum: true,
    },
  ],
  ['rules', { type: 'integer', ...rules }, { type: 'integer', ...rules }],
  ['unknown keywords', { ...text, 'x-other': 1, id: 'a', definitions: {} }, text],
  [
    'a default',
    { type: 'boolean', default: false },
    { type: 'boolean', default: false },
    { type: 'boolean' },
  ],
  ['a default of null', { ...text, default: null }, text],
  ['an example', { ...text, example: '' }, { ...text, example: '' }],
  [
    'kinds of lists',
    {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
    {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
  ],
  [
    'a map',
    { type: 'object', additionalProperties: described },
    { type: 'object', additionalProperties: described },
  ],
  [
    'a map of anything',
    { type: 'object', additionalProperties: true },
    { type: 'object', additionalProperties: true },
  ],
  ['an extension that is off', { ...text, 'x-kubernetes-int-or-string': false }, text],

  ['a number or a text', isEither, { ...isEither, anyOf: intOrText }, isEither],
  ['one that says so itself', { ...isEither, anyOf: intOrText }, { ...isEither, anyOf: intOrText }, isEither],
  [
    'one that says so among more',
    { ...isEither, allOf: [{ anyOf: intOrText }, { minimum: 4 }] },
    {
      ...isEither,
      allOf: [{ anyOf: intOrText }, { minimum: 4 }],
    },
    isEither,
  ],
  [
    'one with other alternatives',
    { ...isEither, anyOf: [{ minimum: 4 }], allOf: [{ maximum: 9 }] },
    {
      ...isEither,
      anyOf: [{ minimum: 4 }],
      allOf: [{ anyOf: intOrText }, { maximum: 9 }],
    },
    isEither,
  ],

  [
    'alternatives',
    { ...text, oneOf: [{ pattern: 'a' }], not: { enum: ['b'] } },
    {
      ...text,
      oneOf: [{ pattern: 'a' }],
      not: { enum: ['b'] },
    },
    text,
  ],
  [
    'alternatives of fields',
    {
      type: 'object',
      properties: { a: text },
      anyOf: [{ required: ['a'], properties: { a: { minLength: 1 } } }],
    },
    {
      type: 'object',
      properties: { a: text },
      anyOf: [{ required: ['a'], properties: { a: { minLength: 1 } } }],
    },
    { type: 'object', properties: { a: text } },
  ],

  ['what may be null', { ...text, nullable: true }, { ...text, nullable: true }, {}],
  [
    'a list that may be null',
    { type: 'array', items: text, nullable: true, maxItems: 3 },
    {
      type: 'array',
      items: text,
      nullable: true,
      maxItems: 3,
    },
    { maxItems: 3 },
  ],
  [
    'required fields that may be null',
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { ...text, nullable: true }, b: text },
    },
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { ...text, nullable: true }, b: text },
    },
    { type: 'object', required: ['b'], properties: { a: {}, b: text } },
  ],
  [
    'a required entry of a map that may be null',
    {
      type: 'object',
      required: ['a'],
      additionalProperties: { ...text, nullable: true },
    },
    {
      type: 'object',
      required: ['a'],
      additionalProperties: { ...text, nullable: true },
    },
    { type: 'object', additionalProperties: {} },
  ],

  [
    'unnamed fields',
    { ...isOpen, type: 'object', properties: { a: text } },
    {
      ...isOpen,
      type: 'object',
      properties: { a: text },
    },
    isOpen,
  ],
  ['anything', isOpen, isOpen],
  [
    'a list of anything',
    { ...isOpen, type: 'array', items: text },
    { ...isOpen, type: 'array', items: text },
    isOpen,
  ],
]
for (const [name, field, inV3, inV2 = inV3] of cases) {
  test(`custom schema: ${name}`, () => assert.deepEqual(published(field), { inV3, inV2 }))
}

test('custom schema: an object says what it is, whatever its schema says of that', () => {
  const schema = {
    type: 'object',
    description: 'A gizmo.',
    properties: {
      zone: text,
      metadata: { type: 'object', properties: { name: described } },
      kind: described,
    },
  } as const
  assert.deepEqual(customKindSchema(schema, v3), {
    type: 'object',
    description: 'A gizmo.',
    properties: { ...typeMetaProperties, metadata: { v3: objectMeta }, zone: text },
  })
  assert.deepEqual(customKindSwagger(schema as object, v2), {
    type: 'object',
    description: 'A gizmo.',
    properties: { ...typeMetaProperties, metadata: { v2: objectMeta }, zone: text },
  })
})

test('custom schema: of a kind that is open or not described v2 names no field at all', () => {
  const open = { type: 'object', description: 'A.', properties: { a: text }, ...isOpen } as const
  assert.deepEqual(customKindSwagger(open as object, v2), { type: 'object' })
  assert.deepEqual(customKindSwagger(undefined, v2), { type: 'object' })
  assert.deepEqual(customKindSchema(undefined, v3), { type: 'object' })
  const shown = customKindSchema(open, v3)
  assert.deepEqual(Object.keys(shown['properties'] as Json), ['a', 'apiVersion', 'kind', 'metadata'])
})

test('custom schema: an object inside of another says what it is too', () => {
  const inner = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['spec', 'kind'] }
  const { inV3, inV2 } = published({ type: 'array', items: inner }) as { inV3: Json; inV2: Json }
  for (const [shown, metadata] of [
    [inV3, { v3: objectMeta }],
    [inV2, { v2: objectMeta }],
  ] as const) {
    const { properties, required } = shown['items'] as { properties: Json; required: unknown }
    assert.deepEqual(Object.keys(properties), ['apiVersion', 'kind', 'metadata'])
    assert.deepEqual(properties['metadata'], metadata)
    assert.deepEqual(required, ['spec', 'kind', 'apiVersion'])
  }
  const open = { ...inner, ...isOpen, required: [] }
  assert.deepEqual(published(open).inV2, { 'x-kubernetes-embedded-resource': true, ...isOpen })
})

test('custom schema: a field may have the name of something else', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object"}}}',
  )
  assert.deepEqual(published(schema).inV3, schema)
})

test('custom schema: a list says what it is a list of', () => {
  const names = { kind: 'Gizmo', listKind: 'GizmoList', plural: 'gizmos' }
  const list = customListSchema(names, v3, { $ref: 'x' })
  const { items, metadata, ...rest } = list['properties'] as { items: Json; metadata: Json }
  assert.deepEqual(rest, typeMetaProperties)
  assert.deepEqual([list['description'], list['required']], ['GizmoList is a list of Gizmo', ['items']])
  assert.deepEqual(metadata, { v3: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' })
  assert.deepEqual([items['type'], items['items']], ['array', { $ref: 'x' }])
})
