import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8 } from '@strata/world'
import { documentFromSwagger, remoteParts, takeDocument, takeSwagger } from './remote-documents.ts'

const own = { group: 'shop.dev', versionName: 'v1' }
const path = '/apis/shop.dev/v1/things'
const bytes = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value, null, 1))
// biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
const parsed = (body: Uint8Array | undefined): any => JSON.parse(utf8.decode(body ?? new Uint8Array()))
const kind = (group: string, name: string) => ({ group, version: 'v1', kind: name })

test('remote documents: a document of its own version is passed on byte by byte', () => {
  const sent = bytes({
    openapi: '3.0.0',
    paths: { [path]: {} },
    components: {
      schemas: {
        Thing: { 'x-kubernetes-group-version-kind': [kind('shop.dev', 'Thing')] },
        DeleteOptions: { 'x-kubernetes-group-version-kind': [kind('apps', 'DeleteOptions')] },
      },
    },
  })
  const taken = takeDocument(sent, own)
  assert.deepEqual(taken?.body, sent)
  assert.match(taken?.hash ?? '', /^[0-9A-F]{128}$/)
})

test('remote documents: what it says about other versions is removed', () => {
  const taken = takeDocument(
    bytes({
      openapi: '3.0.0',
      paths: { [path]: {}, '/api/v1/pods': {} },
      components: {
        schemas: { Pod: { type: 'object', 'x-kubernetes-group-version-kind': [kind('', 'Pod')] } },
      },
    }),
    own,
  )
  assert.deepEqual(parsed(taken?.body), {
    ...{ openapi: '3.0.0', paths: { [path]: {} }, components: { schemas: { Pod: { type: 'object' } } } },
  })
})

test('remote documents: a kind of another version is kept if one of its own paths is about it', () => {
  const record = kind('strata.dev', 'StorageAgreement')
  const sent = bytes({
    openapi: '3.0.0',
    paths: { [path]: { get: { 'x-kubernetes-group-version-kind': record } } },
    components: { schemas: { Record: { 'x-kubernetes-group-version-kind': [record] } } },
  })
  assert.deepEqual(takeDocument(sent, own)?.body, sent)
})

test('remote documents: what cannot be read is refused', () => {
  for (const sent of [
    '',
    '{',
    '[]',
    'null',
    '{"openapi":"3.0.0"}',
    `{"openapi":"3.0.0","paths":{"/a":{}}}`,
  ]) {
    assert.equal(takeDocument(utf8.encode(sent), own), undefined, sent)
    assert.equal(takeSwagger(utf8.encode(sent), own), undefined, sent)
  }
  const deep = `{"swagger":"2.0","paths":{"${path}":{"get":{"x-a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}}`
  assert.equal(takeSwagger(utf8.encode(deep), own), undefined)
})

test('remote documents: v3 is made of v2 if there is no other', () => {
  const thing = { $ref: '#/definitions/Thing' }
  const taken = takeSwagger(
    bytes({
      swagger: '2.0',
      paths: {
        [path]: {
          post: {
            ...{ consumes: ['application/json'], produces: ['application/yaml'] },
            parameters: [
              { in: 'body', name: 'body', schema: thing },
              { in: 'query', name: 'dryRun', type: 'string', uniqueItems: true },
              { $ref: '#/parameters/pretty' },
            ],
            responses: { 200: { description: 'OK', schema: thing } },
          },
        },
      },
      definitions: { Thing: { type: 'object', properties: { self: { description: 'a', ...thing } } } },
      parameters: { pretty: { in: 'query', name: 'pretty', type: 'string' } },
    }),
    own,
  )
  const { paths, components } = parsed(documentFromSwagger(taken ?? new Uint8Array()).body)
  const $ref = '#/components/schemas/Thing'
  assert.deepEqual(paths[path].post, {
    parameters: [
      { name: 'dryRun', in: 'query', schema: { type: 'string', uniqueItems: true } },
      { $ref: '#/components/parameters/pretty' },
    ],
    requestBody: { content: { 'application/json': { schema: { $ref } } } },
    responses: { 200: { description: 'OK', content: { 'application/yaml': { schema: { $ref } } } } },
  })
  assert.deepEqual(components, {
    schemas: {
      Thing: { type: 'object', properties: { self: { description: 'a', allOf: [{ $ref }] } } },
    },
    parameters: { pretty: { name: 'pretty', in: 'query', schema: { type: 'string' } } },
  })
})

test('remote documents: the order is that of groups, then of versions, then of names', () => {
  const version = (group: string, versionName: string, groupPriority: number, versionPriority: number) => ({
    ...{ group, versionName, groupPriority, versionPriority },
    openApi: { document: undefined, swagger: bytes({ name: `${group}/${versionName}` }) },
  })
  const all = [
    ...[
      version('a', 'v1', 1, 1),
      version('b', 'v1', 1, 1),
      version('b', 'v2', 9, 1),
      version('b', 'v3', 1, 5),
    ],
    version('c', 'v1', 1, 1),
  ]
  assert.deepEqual(
    remoteParts(all).map((each) => (each as unknown as { name: string }).name),
    ['b/v3', 'b/v1', 'b/v2', 'a/v1', 'c/v1'],
  )
})
