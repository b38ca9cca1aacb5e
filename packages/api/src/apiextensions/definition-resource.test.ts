import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsUnknown } from '../machinery/carry-unknown.ts'
import { dropEmpty } from '../machinery/drop-empty.ts'
import { goDecodeProblem } from '../machinery/go-decode-problem.ts'
import { applyDefaults, prune } from '../machinery/schema.ts'
import type { CustomResourceDefinition } from './custom-resource-definition.ts'
import { later, now, thingDefinition } from './definition-for-test.ts'
import { customResourceDefinitions } from './definition-resource.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
const v1 = customResourceDefinitions.versions['v1']
const { strategy } = customResourceDefinitions

/** As a request is read: without what the kind does not know, and with its defaults. */
function read(object: unknown): {
  readonly definition: CustomResourceDefinition
  readonly unknown: readonly string[]
} {
  assert.ok(v1)
  const unknown: string[] = []
  const pruned = prune(object, v1.schema, (path) => unknown.push(path))
  const definition = dropEmpty(pruned, v1.schema) as CustomResourceDefinition
  applyDefaults(definition, v1.schema)
  v1.applyDefaults?.(definition)
  return { definition, unknown }
}

const readSchema = (openAPIV3Schema: unknown): unknown =>
  read({ metadata: {}, spec: { versions: [{ name: 'v1', storage: true, schema: { openAPIV3Schema } }] } })
    .definition.spec.versions?.[0]?.schema?.openAPIV3Schema

test('definition: names and conversion have defaults', () => {
  const { definition } = read({
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' } },
  })
  assert.deepEqual(definition, {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
      versions: null,
      conversion: { strategy: 'None' },
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  })
})

test('definition: a service is asked at 443, and false is left out where Go leaves it out', () => {
  const { definition } = read({
    metadata: {},
    spec: {
      preserveUnknownFields: false,
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { namespace: 'n', name: 's' }, url: '' } },
      },
      versions: [{ name: 'v1', deprecated: false, additionalPrinterColumns: [{ name: 'A', priority: 0 }] }],
    },
  })
  const { versions, conversion, preserveUnknownFields } = definition.spec
  assert.equal(preserveUnknownFields, undefined)
  assert.deepEqual(conversion, {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: '', service: { namespace: 'n', name: 's', port: 443 } },
      conversionReviewVersions: null,
    },
  })
  assert.deepEqual(versions, [
    {
      name: 'v1',
      served: false,
      storage: false,
      additionalPrinterColumns: [{ name: 'A', type: '', jsonPath: '' }],
    },
  ])
})

const schemas: readonly [name: string, sent: unknown, kept: unknown][] = [
  [
    'what is nothing in Go is left out',
    {
      type: 'object',
      description: '',
      nullable: false,
      uniqueItems: false,
      enum: [],
      required: [],
      properties: {},
    },
    { type: 'object' },
  ],
  [
    'what has a pointer is kept',
    { minimum: 0, maxLength: 0, 'x-kubernetes-preserve-unknown-fields': false, 'x-kubernetes-list-type': '' },
    { minimum: 0, maxLength: 0, 'x-kubernetes-preserve-unknown-fields': false, 'x-kubernetes-list-type': '' },
  ],
  [
    'defaults are kept whatever they are',
    {
      properties: {
        a: { default: '' },
        b: { default: [] },
        c: { default: {} },
        d: { default: false },
        e: { default: { x: null, y: '' } },
      },
    },
    {
      properties: {
        a: { default: '' },
        b: { default: [] },
        c: { default: {} },
        d: { default: false },
        e: { default: { x: null, y: '' } },
      },
    },
  ],
  ['null is no default', { default: null, example: null }, {}],
  ['values may be null', { enum: ['', null, {}] }, { enum: ['', null, {}] }],
  [
    'numbers are those of Go',
    {
      default: rawJSON('1.0'),
      minimum: rawJSON('1.0'),
      maximum: rawJSON('1e2'),
      enum: [rawJSON('9007199254740993')],
    },
    { default: 1, minimum: 1, maximum: 100, enum: [rawJSON('9007199254740993')] },
  ],
  ['items are a schema', { items: { type: 'string', title: '' } }, { items: { type: 'string' } }],
  ['items are schemas', { items: [{ type: 'string', x: 1 }, {}] }, { items: [{ type: 'string' }, {}] }],
  ['further fields are a schema', { additionalProperties: { x: 1 } }, { additionalProperties: {} }],
  [
    'further fields are allowed or not',
    { properties: { a: { additionalProperties: true }, b: { additionalProperties: false } } },
    { properties: { a: { additionalProperties: true }, b: { additionalProperties: false } } },
  ],
  [
    'a schema contains schemas, however deep',
    { not: { allOf: [{ properties: { properties: { items: { not: { nullable: true, y: 1 } } } } }] } },
    { not: { allOf: [{ properties: { properties: { items: { not: { nullable: true } } } } }] } },
  ],
]

for (const [name, sent, kept] of schemas) {
  test(`definition: ${name}`, () => {
    assert.equal(JSON.stringify(readSchema(sent)), JSON.stringify(kept))
  })
}

test('definition: unknown fields are reported, but not where Go has a type of its own', () => {
  const openAPIV3Schema = {
    a: 1,
    properties: { p: { b: 1, default: { c: 1 }, items: { d: 1 }, additionalProperties: { e: 1 } } },
    'x-kubernetes-validations': [{ rule: 'true', f: 1 }],
  }
  const { unknown } = read({
    metadata: {},
    spec: { g: 1, versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
  })
  assert.deepEqual(unknown, [
    'spec.g',
    'spec.versions[0].schema.openAPIV3Schema.a',
    'spec.versions[0].schema.openAPIV3Schema.properties.p.b',
    'spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0].f',
  ])
})

test('definition: a new one has no status but its storage version', () => {
  const definition = thingDefinition({
    status: { storedVersions: ['v0'], acceptedNames: { plural: 'x', kind: 'X' } },
  })
  strategy.prepareForCreate?.(definition, '')
  assert.deepEqual(definition.status, {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: ['v1'],
  })
})

test('definition: a change keeps the status, and records a new storage version', () => {
  const [v1 = undefined] = thingDefinition().spec.versions ?? []
  assert.ok(v1)
  const stored = thingDefinition({ status: { storedVersions: ['v1'] } })
  const next = thingDefinition({
    spec: {
      versions: [
        { ...v1, storage: false },
        { ...v1, name: 'v2' },
      ],
    },
    status: { storedVersions: ['v2'] },
  })
  strategy.prepareForUpdate?.(next, stored)
  assert.deepEqual(next.status, { ...stored.status, storedVersions: ['v1', 'v2'] })
  assert.deepEqual(stored.status.storedVersions, ['v1'])
})

test('definition: the first deletion marks it, and adds what keeps it until its instances are gone', () => {
  const definition = thingDefinition({ metadata: { generation: 2, finalizers: ['a.b/c'] } })
  strategy.markForDeletion?.(definition, later)
  assert.deepEqual(definition.metadata, {
    name: 'things.example.com',
    generation: 2,
    deletionTimestamp: later,
    finalizers: ['a.b/c', 'customresourcecleanup.apiextensions.k8s.io'],
  })
  assert.deepEqual(definition.status.conditions, [
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: later,
    },
  ])
  assert.notEqual(now, later)
})

const misfits: readonly [schema: unknown, problem: string | undefined][] = [
  [{ type: 'object', default: 1, enum: [1, 'a'], items: [{}], additionalProperties: false }, undefined],
  [
    { type: 1 },
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string',
  ],
  [
    { properties: { a: { properties: { b: { minLength: 'x' } } } } },
    'json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties.minLength of type int64',
  ],
  // These are read on their own.
  [
    { properties: { a: { items: { type: [] } } } },
    'json: cannot unmarshal array into Go struct field JSONSchemaProps.type of type string',
  ],
  [{ additionalProperties: 'yes' }, 'boolean or JSON schema expected'],
  [{ items: 'x' }, undefined],
]
for (const [openAPIV3Schema, problem] of misfits) {
  test(`definition: a schema of ${JSON.stringify(openAPIV3Schema)} is read as Go reads it`, () => {
    assert.ok(v1)
    const object = { spec: { versions: [{ schema: { openAPIV3Schema } }] } }
    assert.equal(goDecodeProblem(object, v1.schema, 'CustomResourceDefinition'), problem)
  })
}

test('definition: what is no schema is one of which nothing is said, or nothing', () => {
  const sent = { items: 'x', not: null, properties: { a: null, b: { items: null } }, allOf: [null] }
  assert.deepEqual(readSchema(sent), { properties: { a: {}, b: {} }, allOf: [{}] })
})

test('definition: a default is known in all its parts', () => {
  assert.ok(v1)
  const schema = { type: 'object', default: { a: { b: 1 } }, enum: [{ c: 1 }], items: { default: { d: 1 } } }
  assert.equal(holdsUnknown(thingDefinition({ schema }), v1.schema), false)
})
