import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../components.ts'
import { readSwagger } from './read-swagger.ts'

const own = { group: 'shop.dev', versionName: 'v1' }
const root = '/apis/shop.dev/v1/'
const ref = (name: string): Json => ({ $ref: `#/definitions/${name}` })
const answering = (schema: Json): Json => ({ get: { responses: { 200: { description: 'OK', schema } } } })

const document = (definitions: Json, paths: Json = { [`${root}things`]: answering(ref('Thing')) }): Json => ({
  ...{ swagger: '2.0', paths, definitions },
})
const thing = (schema: unknown): unknown =>
  readSwagger(document({ Thing: schema }), own)?.definitions['Thing']

const nested = (depth: number): Json =>
  depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } }

// kubectl refuses a document with one of the left, for all groups.
const schemas: ReadonlyArray<[name: string, given: unknown, want: unknown]> = [
  ['text', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  ['a list', { type: 'array', items: { type: 'string' } }, { type: 'array', items: { type: 'string' } }],
  ['a list without items', { type: 'array', description: 'a' }, { description: 'a' }],
  ['a list with two kinds of items', { type: 'array', items: [{}, {}] }, {}],
  ['two types', { type: ['string', 'null'] }, {}],
  ['an unknown type', { type: 'null' }, {}],
  ['a reference', { description: 'a', ...ref('Thing') }, { description: 'a', ...ref('Thing') }],
  ['a type beside a reference', { type: 'object', properties: {}, ...ref('Thing') }, ref('Thing')],
  ['a reference in a list of one', { default: {}, allOf: [ref('Thing')] }, ref('Thing')],
  ['a reference to nothing', ref('None'), {}],
  ['a reference elsewhere', { $ref: 'https://example.dev/' }, {}],
  [
    'a field called $ref',
    { properties: { $ref: { type: 'string' } } },
    { properties: { $ref: { type: 'string' } } },
  ],
  ['numbers', { maximum: 1.5, maxLength: 1.5, minItems: -1 }, { maximum: 1.5 }],
  ['words of the wrong type', { description: 1, required: 'a', enum: 'b', properties: [] }, {}],
  ['words that v2 does not have', { nullable: true, anyOf: [{}], default: 1 }, {}],
  ['no schema', 'x', {}],
  [
    'kinds of other versions',
    {
      'x-kubernetes-group-version-kind': [
        { group: 'apps', version: 'v1', kind: 'Deployment' },
        { group: 'shop.dev', version: 'v1', kind: 'Thing' },
        'x',
      ],
    },
    { 'x-kubernetes-group-version-kind': [{ group: 'shop.dev', version: 'v1', kind: 'Thing' }] },
  ],
  [
    'only kinds of others',
    { 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }] },
    {},
  ],
]

for (const [name, given, want] of schemas) {
  test(`remote swagger: ${name}`, () => assert.deepEqual(thing(given), want))
}

test('remote swagger: paths of the own version, and what they refer to', () => {
  const found = readSwagger(
    {
      ...document(
        {
          Thing: { properties: { part: ref('Part') } },
          Part: { type: 'array', items: ref('Thing') },
          Pod: { type: 'object' },
        },
        {
          [`${root}things`]: answering(ref('Thing')),
          '/apis/shop.dev/v10/things': answering(ref('Pod')),
          '/apis/apps/v1/deployments': answering(ref('Pod')),
          '/api/v1/pods': answering(ref('Pod')),
          '/apis/shop.dev/': answering(ref('Pod')),
        },
      ),
    },
    own,
  )
  assert.deepEqual(Object.keys(found?.paths ?? {}), [`${root}things`])
  assert.deepEqual(Object.keys(found?.definitions ?? {}), ['Thing', 'Part'])
})

test('remote swagger: operations have the fields that clients know', () => {
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
  const found = readSwagger(
    {
      ...document(
        {},
        {
          [`${root}things`]: {
            patch: {
              operationId: 'patch',
              consumes: ['a/b', 1],
              parameters: [
                { $ref: '#/parameters/dryRun' },
                { $ref: '#/parameters/none' },
                { in: 'query', name: 'a', type: 'integer', uniqueItems: true, default: 1 },
                { in: 'body', name: 'body', schema: { type: 'object' } },
                { in: 'formData', name: 'file', type: 'file' },
                'x',
              ],
              responses: { 200: 'OK' },
              'x-kubernetes-action': 'patch',
              'x-kubernetes-group-version-kind': kind,
            },
            trace: {},
            parameters: 'x',
          },
        },
      ),
      parameters: { dryRun: { in: 'query', name: 'dryRun', type: 'string' }, other: {} },
    },
    own,
  )
  assert.deepEqual(found?.paths[`${root}things`], {
    patch: {
      operationId: 'patch',
      consumes: ['a/b'],
      parameters: [
        { $ref: '#/parameters/dryRun' },
        { in: 'query', name: 'a', type: 'integer', uniqueItems: true },
        { in: 'body', name: 'body', schema: { type: 'object' } },
      ],
      responses: { 200: { description: '' } },
      'x-kubernetes-action': 'patch',
    },
  })
  assert.deepEqual(found?.parameters, { dryRun: { in: 'query', name: 'dryRun', type: 'string' } })
})

test('remote swagger: what is no such document is refused', () => {
  for (const given of [
    null,
    1,
    'x',
    [],
    {},
    { swagger: '2.0' },
    { swagger: '3.0', paths: {} },
    document({}, {}),
  ])
    assert.equal(readSwagger(given, own), undefined)
  assert.throws(() => readSwagger(document({ Thing: nested(100) }), own), /nested too deeply/)
  assert.throws(() => readSwagger(document({ Thing: { 'x-a': nested(100) } }), own), /nested too deeply/)
})
