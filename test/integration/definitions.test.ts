import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const name = 'things.example.com'
const one = `${definitions}/${name}`
const finalizer = 'customresourcecleanup.apiextensions.k8s.io'
const versionOf = (each: string, storage: boolean) => ({
  name: each,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
})
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [versionOf('v1', true)],
  },
}
const merge = { 'content-type': 'application/merge-patch+json' }

test('definitions: a status write may change the metadata, and nothing of the spec', async () => {
  const { send } = await startServer('definition-status')
  await send('POST', definitions, definition)
  const change = {
    metadata: { labels: { a: 'b' }, generation: 7 },
    spec: { scope: 'Cluster' },
    status: { storedVersions: ['v9'] },
  }
  const changed = await send('PATCH', `${one}/status`, change, merge)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { metadata, spec, status } = changed.body
  assert.deepEqual([metadata.labels, metadata.generation], [{ a: 'b' }, 1])
  assert.equal(spec.scope, 'Namespaced')
  assert.deepEqual(status.storedVersions, ['v9'])
  const refused = await send('PATCH', one, { metadata: { labels: { a: 'c' } } }, merge)
  assert.equal(refused.status, 422)
})

test('definitions: a new storage version is recorded by the write that makes it so', async () => {
  const { send } = await startServer('definition-versions')
  await send('POST', definitions, definition)
  const versions = [versionOf('v1', false), versionOf('v2', true)]
  const { body } = await send('PATCH', one, { spec: { versions } }, merge)
  assert.deepEqual([body.status.storedVersions, body.metadata.generation], [['v1', 'v2'], 2])
  const refused = await send('PATCH', one, { spec: { versions: [versionOf('v2', true)] } }, merge)
  assert.match(
    refused.body.message,
    /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/,
  )
  await send('PATCH', `${one}/status`, { status: { storedVersions: ['v2'] } }, merge)
  const removed = await send('PATCH', one, { spec: { versions: [versionOf('v2', true)] } }, merge)
  assert.equal(removed.status, 200, JSON.stringify(removed.body))
})

test('definitions: what was read in protobuf is what was read in JSON', async () => {
  const path = '../golden/captures/protobuf-responses/CustomResourceDefinition-1.json'
  const capture = JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))
  const { send } = await startServer('definition-protobuf')
  const { spec, metadata } = capture.json
  const target = `${definitions}?dryRun=All`
  const sent = { ...capture.json, metadata: { name: metadata.name, annotations: metadata.annotations } }
  const json = await send('POST', target, sent)
  assert.equal(json.status, 201, JSON.stringify(json.body))
  assert.deepEqual(json.body.spec, spec)
  const bytes = withoutRevision(Buffer.from(capture.bodyBase64, 'base64'), metadata.resourceVersion)
  const protobuf = await send('POST', target, bytes, {
    'content-type': 'application/vnd.kubernetes.protobuf',
  })
  assert.equal(protobuf.status, 201, JSON.stringify(protobuf.body))
  assert.deepEqual(protobuf.body.spec, spec)
})

/** A create may not name a revision: the field (6, a text) becomes an unknown one, of the same length. */
function withoutRevision(bytes: Buffer, revision: string): Buffer {
  const at = bytes.indexOf(Buffer.from([0x32, revision.length, ...Buffer.from(revision)]))
  assert.ok(at > 0)
  const copy = Buffer.from(bytes)
  copy[at] = 0x7a
  return copy
}

test('definitions: a deletion waits for the instances, and its end is the end of the last finalizer', async () => {
  const { send } = await startServer('definition-deletion', { resources: [] })
  const { body } = await send('POST', definitions, definition)
  const { uid } = body.metadata
  const wrong = await send('DELETE', one, { preconditions: { uid: 'x' } })
  assert.equal(
    wrong.body.message,
    `Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io "${name}": precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
  )
  const marked = await send('DELETE', one, { preconditions: { uid } })
  assert.equal(marked.status, 200)
  assert.equal(marked.body.metadata.deletionGracePeriodSeconds, undefined)
  assert.deepEqual([marked.body.metadata.finalizers, marked.body.metadata.generation], [[finalizer], 1])
})

test('definitions: unknown formats cause a warning when they are new', async () => {
  const { send } = await startServer('definition-warnings')
  const openAPIV3Schema = { type: 'object', properties: { a: { type: 'string', format: 'int64' } } }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
  const made = await send('POST', definitions, { ...definition, spec: { ...definition.spec, versions } })
  assert.deepEqual(made.headers['warning'], ['299 - "unrecognized format \\"int64\\""'])
  const changed = await send('PATCH', one, { metadata: { labels: { a: 'b' } } }, merge)
  assert.deepEqual([changed.status, changed.headers['warning']], [200, undefined])
})
