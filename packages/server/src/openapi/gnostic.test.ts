import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WireReader } from '../store/etcd/wire.ts'
import type { Json } from './components.ts'
import { swaggerBody, swaggerPieces } from './swagger-pieces.ts'

/** The content at a path of field numbers, as text; the last message if there are several. */
function read(bytes: Buffer, ...path: readonly number[]): string[] {
  let found = [new WireReader(bytes)]
  for (const [depth, field] of path.entries()) {
    const isLast = depth === path.length - 1
    const next: WireReader[] = []
    const texts: string[] = []
    for (const reader of found) {
      while (reader.next()) {
        if (reader.field !== field) reader.skip()
        else if (isLast) texts.push(reader.string())
        else next.push(reader.message())
      }
    }
    if (isLast) return texts
    found = next
  }
  return []
}

const schema = {
  type: 'object',
  description: 'A thing.',
  required: ['size'],
  externalDocs: { url: 'https://things.example' },
  example: { size: 3 },
  properties: {
    size: { type: 'integer', format: 'int32' },
    colour: { type: 'string', enum: ['red', 'blue'] },
    parts: { type: 'array', items: { $ref: '#/definitions/Part' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  'x-kubernetes-group-version-kind': [{ group: '', kind: 'Thing', version: 'v1' }],
}

function documentWith(paths: Json): Buffer {
  const pieces = swaggerPieces('protobuf', { paths, definitions: { Thing: schema } })
  return Buffer.from(swaggerBody('protobuf', 'v1', [pieces]))
}

const inSchema = [9, 1, 2] as const
const inProperty = [...inSchema, 25, 1, 2] as const

// The numbers of the fields are those of openapiv2/OpenAPIv2.proto.
const schemaCases: ReadonlyArray<[name: string, path: readonly number[], want: readonly string[]]> = [
  ['version of the format', [1], ['2.0']],
  ['title', [2, 1], ['Kubernetes']],
  ['name of a definition', [9, 1, 1], ['Thing']],
  ['description', [...inSchema, 4], ['A thing.']],
  ['required fields', [...inSchema, 19], ['size']],
  ['type', [...inSchema, 22, 1], ['object']],
  ['names of fields', [...inSchema, 25, 1, 1], ['size', 'colour', 'parts', 'labels']],
  ['format', [...inProperty, 2], ['int32']],
  ['values, in YAML', [...inProperty, 20, 2], ['"red"', '"blue"']],
  ['items', [...inProperty, 23, 1, 1], ['#/definitions/Part']],
  ['entries', [...inProperty, 21, 1, 22, 1], ['string']],
  ['where to read more', [...inSchema, 29, 2], ['https://things.example']],
  ['an example, in YAML', [...inSchema, 30, 2], ['{"size":3}']],
  ['name of an extension', [...inSchema, 31, 1], ['x-kubernetes-group-version-kind']],
  ['an extension, in YAML', [...inSchema, 31, 2, 2], ['[{"group":"","kind":"Thing","version":"v1"}]']],
  ['name of a way to authenticate', [13, 1, 1], ['BearerToken']],
  ['header of it', [13, 1, 2, 2, 2], ['authorization']],
  ['who needs it', [12, 1, 1], ['BearerToken']],
]
for (const [name, path, want] of schemaCases) {
  test(`gnostic: ${name}`, () => assert.deepEqual(read(documentWith({}), ...path), want))
}

const operation = {
  tags: ['core_v1'],
  description: 'create a Thing',
  operationId: 'createThing',
  consumes: ['application/json'],
  produces: ['application/yaml'],
  schemes: ['https'],
  parameters: [
    { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Thing' } },
    { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
  ],
  responses: { 201: { description: 'Created', schema: { $ref: '#/definitions/Thing' } } },
  'x-kubernetes-action': 'post',
}
const path = {
  post: operation,
  parameters: [{ name: 'namespace', in: 'path', type: 'string', required: true }],
}
const inPost = [8, 2, 2, 4] as const
const operationCases: ReadonlyArray<[name: string, path: readonly number[], want: readonly string[]]> = [
  ['path', [8, 2, 1], ['/things']],
  ['tag', [...inPost, 1], ['core_v1']],
  ['name of an operation', [...inPost, 5], ['createThing']],
  ['what it gives', [...inPost, 6], ['application/yaml']],
  ['what it takes', [...inPost, 7], ['application/json']],
  ['body', [...inPost, 8, 1, 1, 5, 1], ['#/definitions/Thing']],
  ['query parameter', [...inPost, 8, 1, 2, 3, 4], ['dryRun']],
  ['its type', [...inPost, 8, 1, 2, 3, 6], ['string']],
  ['path parameter', [8, 2, 2, 9, 1, 2, 4, 4], ['namespace']],
  ['code of an answer', [...inPost, 9, 1, 1], ['201']],
  ['answer', [...inPost, 9, 1, 2, 1, 2, 1, 1], ['#/definitions/Thing']],
  ['extension of an operation', [...inPost, 13, 2, 2], ['"post"']],
]
for (const [name, fields, want] of operationCases) {
  test(`gnostic: ${name}`, () => assert.deepEqual(read(documentWith({ '/things': path }), ...fields), want))
}
