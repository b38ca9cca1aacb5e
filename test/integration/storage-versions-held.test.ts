import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, StorageAgreement } from '@strata/api'
import { agreementKind, decideAgreement, storageVersionKind } from '@strata/server'
import { createMemoryStore, MemoryData, readOne } from '@strata/server/store'
import { CollectorFleet } from '../support/collector-fleet.ts'
import { startServer } from '../support/one-server.ts'

const objects = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const held = `${objects}/core.configmaps`
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const custom = `${objects}/example.com.things`
const merge = { 'content-type': 'application/merge-patch+json' }
const lie = {
  storageVersions: [{ apiServerID: 'liar', encodingVersion: 'v2', decodableVersions: ['v2'] }],
  commonEncodingVersion: 'v2',
}
const object = (name: string, more: object = {}) => ({
  apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
  kind: 'StorageVersion',
  metadata: { name, ...more },
  spec: {},
})
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const entry: AgreementEntry = {
  serverID: 'apiserver-b',
  process: 'b_1',
  encodingVersion: 'example.com/v1',
  decodableVersions: ['example.com/v1'],
  servedVersions: ['example.com/v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
}
const record: StorageAgreement = {
  metadata: { name: 'example.com.things' },
  spec: { group: 'example.com', resource: 'things' },
  status: decideAgreement({
    previous: undefined,
    entries: [entry],
    liveServers: new Set(['apiserver-b']),
    now: '2026-01-01T00:00:00Z',
  }),
}
const { signal } = new AbortController()

test('StorageVersion P12: no client makes it say what no server has recorded', async () => {
  const { send } = await startServer('held')
  const before = (await send('GET', held)).body
  const attempts: readonly [method: string, path: string, body: unknown][] = [
    ['PUT', `${held}/status`, { ...before, status: lie }],
    ['PATCH', `${held}/status`, { status: lie }],
    ['PATCH', `${held}/status`, { status: null }],
    ['PATCH', held, { metadata: { finalizers: ['a.dev/b'] } }],
    ['DELETE', held, undefined],
    ['DELETE', `${held}?propagationPolicy=Foreground`, undefined],
  ]
  for (const [method, path, body] of attempts) {
    const answer = await send(method, path, body, method === 'PATCH' ? merge : {})
    assert.equal(answer.status, 403, `${method} ${JSON.stringify(answer.body)}`)
    assert.equal(answer.body.reason, 'Forbidden')
    assert.match(
      answer.body.message,
      /^storageversions\.internal\.apiserver\.k8s\.io "core\.configmaps" is forbidden: it shows what the API servers have recorded .*; only the servers may /,
    )
  }
  assert.deepEqual((await send('GET', held)).body, before)
  assert.equal((await send('POST', objects, object('core.configmaps'))).status, 409)
})

test('StorageVersion P12: labels are anybody’s, and what changes nothing is no change', async () => {
  const { send } = await startServer('held-labels')
  const before = (await send('GET', held)).body
  for (const path of [held, `${held}/status`]) {
    const same = await send('PUT', path, before)
    assert.equal(same.status, 200, JSON.stringify(same.body))
    assert.equal(same.body.metadata.resourceVersion, before.metadata.resourceVersion)
  }
  const labelled = await send('PATCH', held, { metadata: { labels: { a: 'b' } }, status: lie }, merge)
  assert.equal(labelled.status, 200, JSON.stringify(labelled.body))
  assert.deepEqual([labelled.body.metadata.labels, labelled.body.status], [{ a: 'b' }, before.status])
})

test('StorageVersion: what a client said is written over when the resource becomes the servers’', async () => {
  const { send, simulation } = await startServer('taken over')
  await send('POST', objects, object('example.com.things', { labels: { a: 'b' }, finalizers: ['a.dev/b'] }))
  assert.equal((await send('PATCH', `${custom}/status`, { status: lie }, merge)).status, 200)
  const mine = (await send('GET', custom)).body
  await send('POST', definitions, definition)
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  const { metadata, status } = (await send('GET', custom)).body
  assert.equal(status.commonEncodingVersion, 'example.com/v1')
  assert.deepEqual(
    [metadata.uid, metadata.labels, metadata.finalizers],
    [mine.metadata.uid, { a: 'b' }, undefined],
  )
  assert.ok(
    !metadata.managedFields?.some((each: { subresource?: string }) => each.subresource === 'status'),
    'what the servers say has no owner',
  )
  assert.equal((await send('PATCH', `${custom}/status`, { status: lie }, merge)).status, 403)
  // With its definition it goes, and the name is anybody's again, though its record stays.
  await send('DELETE', `${definitions}/things.example.com`)
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  assert.equal((await send('GET', custom)).status, 404)
  assert.equal((await send('POST', objects, object('example.com.things'))).status, 201)
  assert.equal((await send('PATCH', `${custom}/status`, { status: lie }, merge)).status, 200)
  await simulation.run({ untilMs: simulation.nowMs + 700_000 })
  assert.equal((await send('GET', custom)).body.status.commonEncodingVersion, 'v2', 'and stays the client’s')
})

test('StorageVersion: one that was being deleted is another when the servers take it', async () => {
  const { send, simulation } = await startServer('taken over while it goes')
  await send('POST', objects, object('example.com.things', { finalizers: ['a.dev/b'] }))
  const gone = await send('DELETE', custom)
  assert.ok(gone.body.metadata.deletionTimestamp)
  await send('POST', definitions, definition)
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  const { metadata } = (await send('GET', custom)).body
  assert.notEqual(metadata.uid, gone.body.metadata.uid)
  assert.equal(metadata.deletionTimestamp, undefined)
})

for (const [what, write] of [
  ['another status', 'put'],
  ['nothing', 'delete'],
] as const) {
  test(`StorageVersion: where the store says ${what} the servers repair it, and the record stands`, async () => {
    const data = new MemoryData()
    const { send, simulation } = await startServer(`repair ${write}`, { data })
    const record = '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps'
    const [before, agreed] = [(await send('GET', held)).body, (await send('GET', record)).body]
    const store = createMemoryStore(data)
    const key = '/registry/internal.apiserver.k8s.io/storageversions/core.configmaps'
    const entry = await readOne(store, key, signal)
    assert.ok(entry)
    const value = storageVersionKind.encode({ ...storageVersionKind.decode(entry), status: lie })
    await store.commit(
      { writes: [write === 'put' ? { kind: 'put', key, value } : { kind: 'delete', key }], guards: [] },
      signal,
    )
    await simulation.run({ untilMs: simulation.nowMs + 700_000 })
    const after = (await send('GET', held)).body
    assert.deepEqual(after.status.storageVersions, before.status.storageVersions)
    assert.equal(after.status.commonEncodingVersion, 'v1')
    const still = (await send('GET', record)).body
    assert.equal(still.metadata.resourceVersion, agreed.metadata.resourceVersion, 'no fence has moved')
    const settled = after.metadata.resourceVersion
    await simulation.run({ untilMs: simulation.nowMs + 1_400_000 })
    assert.equal((await send('GET', held)).body.metadata.resourceVersion, settled, 'repaired once')
  })
}

test('StorageVersion: a server that registers between a client’s check and its write wins', async () => {
  const key = '/registry/internal.apiserver.k8s.io/storageversions/example.com.things'
  const fleet = new CollectorFleet('overtaken by a server')
  let raced = false
  await fleet.startServer('a', {
    hooks: {
      beforeCommit: async ({ writes, guards }) => {
        // The client's second write, of the object that it has made; a server's would write the record too.
        const isClients = writes.length === 1 && writes[0]?.key === key
        if (raced || !isClients || guards.some((each) => each.key === key && each.revision === 'absent'))
          return
        raced = true
        // The fence of the resource is all that moves: the object itself is as the client has seen it.
        const recordKey = '/registry/strata.dev/storageagreements/example.com.things'
        fleet.data.commit({
          writes: [{ kind: 'put', key: recordKey, value: agreementKind.encode(record) }],
          guards: [],
        })
      },
    },
  })
  assert.equal((await fleet.ask('a', 'POST', objects, object('example.com.things'))).status, 201)
  const made = (await fleet.ask('a', 'GET', custom)).body
  const refused = await fleet.ask('a', 'PUT', `${custom}/status`, { ...made, status: lie })
  assert.ok(raced)
  assert.equal(refused.status, 403, JSON.stringify(refused.body))
  assert.deepEqual((await fleet.ask('a', 'GET', custom)).body, made)
})
