import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from './components.ts'
import { swaggerParts, swaggerPath, swaggerSchema } from './swagger-parts.ts'

const v3 = (name: string): string => `#/components/schemas/${name}`
const v2 = (name: string): string => `#/definitions/${name}`

const cases: ReadonlyArray<[name: string, schema: Json, want: Json]> = [
  ['there are no defaults', { type: 'string', default: '' }, { type: 'string' }],
  ['references have another root', { $ref: v3('A') }, { $ref: v2('A') }],
  [
    'words stand beside a reference',
    { description: 'An A.', default: {}, allOf: [{ $ref: v3('A') }] },
    { description: 'An A.', $ref: v2('A') },
  ],
  [
    'also inside',
    { type: 'object', properties: { a: { type: 'array', items: { $ref: v3('A') } } } },
    { type: 'object', properties: { a: { type: 'array', items: { $ref: v2('A') } } } },
  ],
  [
    'what may be null may be anything',
    { type: 'object', nullable: true, properties: { a: { type: 'string' } }, description: 'A.' },
    { description: 'A.' },
  ],
  [
    'an integer or a string too',
    { 'x-kubernetes-int-or-string': true, type: 'string', anyOf: [] },
    { 'x-kubernetes-int-or-string': true },
  ],
  [
    'of several types, the first is published',
    { description: 'Q.', oneOf: [{ type: 'string' }, { type: 'number' }] },
    { type: 'string', description: 'Q.' },
  ],
  ['of other alternatives none', { oneOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] }, {}],
  [
    'unknown fields are possible only where none is known',
    { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ],
]
for (const [name, schema, want] of cases) {
  test(`swagger: ${name}`, () => assert.deepEqual(swaggerSchema(schema), want))
}

test('swagger: an operation has its body among the parameters', () => {
  const content = { 'application/json': { schema: { $ref: v3('A') } } }
  const pretty = { name: 'pretty', in: 'query', schema: { type: 'string' } }
  const create = {
    tags: ['t'],
    description: 'create an A',
    operationId: 'createA',
    parameters: [pretty],
    requestBody: { content, required: true },
    responses: { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': 'post',
  }
  const document = { paths: { '/as': { post: create, parameters: [pretty] } }, components: { schemas: {} } }
  const flat = { name: 'pretty', in: 'query', type: 'string' }
  assert.deepEqual(swaggerParts([document]).paths['/as'], {
    post: {
      description: 'create an A',
      consumes: ['application/json'],
      produces: ['application/json'],
      schemes: ['https'],
      tags: ['t'],
      operationId: 'createA',
      parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: v2('A') } }, flat],
      responses: {
        200: { description: 'OK', schema: { $ref: v2('A') } },
        401: { description: 'Unauthorized' },
      },
      'x-kubernetes-action': 'post',
    },
    parameters: [flat],
  })
})

test('swagger: a type of several groups has the kinds of all of them', () => {
  const kinds = 'x-kubernetes-group-version-kind'
  const [one, two] = [{ group: '' }, { group: 'a' }]
  const documents = [[one], [one, two]].map((all) => ({
    paths: {},
    components: { schemas: { A: { [kinds]: all } } },
  }))
  assert.deepEqual(swaggerParts(documents).definitions, { A: { [kinds]: [one, two] } })
})

test('swagger: an operation without a body takes the given media types', () => {
  const get = { responses: {}, tags: [], operationId: 'a', description: 'A.' }
  const taken = (item: Json): unknown => (item['get'] as Json)['consumes']
  assert.deepEqual(taken(swaggerPath({ get })), ['*/*'])
  assert.deepEqual(taken(swaggerPath({ get }, ['application/json'])), ['application/json'])
})
