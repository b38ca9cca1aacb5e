import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import type { HttpBody } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { adminToken, call, createFleetServer } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const never = new AbortController().signal

test('requests: an object lives from create to delete', async () => {
  const { send } = await startServer('life')
  const created = await send('POST', maps, configMap('a'))
  assert.equal(created.status, 201)
  assert.match(created.body.metadata.uid, /^[0-9a-f-]{36}$/)
  assert.equal(created.body.metadata.namespace, 'default')

  const replaced = await send('PUT', `${maps}/a`, { ...created.body, data: { k: 'w' } })
  assert.equal(replaced.status, 200)
  assert.equal(replaced.body.metadata.uid, created.body.metadata.uid)
  assert.notEqual(replaced.body.metadata.resourceVersion, created.body.metadata.resourceVersion)

  const stale = await send('PUT', `${maps}/a`, created.body)
  assert.equal(stale.status, 409)
  assert.equal(stale.body.reason, 'Conflict')
  assert.match(stale.body.message, /the object has been modified; please apply your changes/)

  const deleted = await send('DELETE', `${maps}/a`)
  assert.deepEqual(deleted.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'a', kind: 'configmaps', uid: created.body.metadata.uid },
  })
  const gone = await send('GET', `${maps}/a`)
  assert.deepEqual(gone.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "a" not found',
    reason: 'NotFound',
    details: { name: 'a', kind: 'configmaps' },
    code: 404,
  })
})

test('requests: a user without rights gets an error that names the missing right', async () => {
  const simulation = new Simulation('forbidden')
  const world = simulation.process('a')
  const { createServer, coordinationDefaults } = await import('@strata/server')
  const server = createServer({
    world,
    store: createMemoryStore(new MemoryData()),
    tokens: () => ({ name: 'jane', groups: [] }),
    coordination: { ...coordinationDefaults, serverID: 'apiserver-x' },
  })
  await simulation.settle(server.start(never))
  const answer = await simulation.settle(call(server.handle, 'GET', `${maps}/a`))
  assert.equal(answer.status, 403)
  assert.equal(
    answer.body.message,
    'configmaps "a" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default"',
  )
})

test('requests: keys named like parts of a prototype are ordinary keys', async () => {
  const { send } = await startServer('proto')
  const body = JSON.parse(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"constructor":"x"}},"data":{"__proto__":"kept","toString":"t"}}',
  )
  assert.equal((await send('POST', maps, body)).status, 201)
  const { body: read } = await send('GET', `${maps}/p`)
  assert.deepEqual(Object.keys(read.data), ['__proto__', 'toString'])
  assert.equal(read.metadata.labels.constructor, 'x')
  assert.equal(({} as Record<string, unknown>)['kept'], undefined)
})

test('requests: deletion keeps its preconditions, and finalizers keep the object', async () => {
  const { send } = await startServer('delete')
  const held = { ...configMap('held'), metadata: { name: 'held', finalizers: ['example.dev/hold'] } }
  const created = await send('POST', maps, held)
  const wrong = await send('DELETE', `${maps}/held`, {
    kind: 'DeleteOptions',
    preconditions: { uid: 'other' },
  })
  assert.equal(wrong.status, 409)
  assert.match(wrong.body.message, /the UID in the precondition \(other\) does not match the UID in record/)
  const marked = await send('DELETE', `${maps}/held`)
  assert.equal(marked.body.kind, 'ConfigMap')
  assert.ok(marked.body.metadata.deletionTimestamp)
  assert.equal((await send('GET', `${maps}/held`)).status, 200)
  const more = ['example.dev/hold', 'example.dev/late']
  const late = await send('PUT', `${maps}/held`, {
    ...marked.body,
    metadata: { ...marked.body.metadata, finalizers: more },
  })
  assert.equal(late.status, 422)
  assert.match(late.body.message, /no new finalizers can be added if the object is being deleted/)
  const released = { ...marked.body, metadata: { ...marked.body.metadata, finalizers: [] } }
  const last = await send('PUT', `${maps}/held`, released)
  assert.equal(last.status, 200)
  assert.equal(last.body.metadata.finalizers, undefined)
  assert.equal((await send('GET', `${maps}/held`)).status, 404)
  assert.equal(created.status, 201)
})

test('requests: nothing can be created in a namespace that is going away', async () => {
  const { send } = await startServer('terminating')
  await send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'doomed' },
  })
  const deleted = await send('DELETE', '/api/v1/namespaces/doomed')
  assert.equal(deleted.body.status.phase, 'Terminating')
  const refused = await send('POST', '/api/v1/namespaces/doomed/configmaps', configMap('late'))
  assert.equal(refused.status, 403)
  assert.equal(refused.body.details.causes[0].reason, 'NamespaceTerminating')
  const finalized = await send('PUT', '/api/v1/namespaces/doomed/finalize', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'doomed' },
    spec: { finalizers: [] },
  })
  assert.equal(finalized.status, 200)
  assert.equal((await send('GET', '/api/v1/namespaces/doomed')).status, 404)
})

interface SeenEvent {
  readonly type: string
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } }
}

/** Reads whole lines of a watch until there are enough. */
async function takeEvents(body: HttpBody, count: number): Promise<SeenEvent[]> {
  assert.ok(!(body instanceof Uint8Array))
  const events: SeenEvent[] = []
  for await (const chunk of body) {
    const lines = Buffer.from(chunk).toString().trimEnd().split('\n')
    events.push(...lines.map((line) => JSON.parse(line)))
    if (events.length >= count) break
  }
  return events
}

test('requests: a watch from a list sees every change after it, once, in order', async () => {
  const { simulation, server, send } = await startServer('watch')
  await send('POST', maps, configMap('before'))
  const { resourceVersion } = (await send('GET', maps)).body.metadata
  const response = await simulation.settle(
    server.handle({
      method: 'GET',
      target: `${maps}?watch=true&resourceVersion=${resourceVersion}`,
      headers: { authorization: `Bearer ${adminToken}` },
      signal: never,
    }),
  )
  const { body: one } = await send('POST', maps, configMap('one'))
  await send('POST', '/api/v1/namespaces/kube-public/configmaps', configMap('elsewhere'))
  await send('PUT', `${maps}/one`, { ...one, data: { k: '2' } })
  await send('DELETE', `${maps}/one`)
  const events = await simulation.settle(takeEvents(response.body, 3))
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED one', 'MODIFIED one', 'DELETED one'],
  )
  const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion))
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => a - b),
  )
})

test('requests: a watch without a revision begins with what there is', async () => {
  const { simulation, server, send } = await startServer('initial')
  for (const name of ['b', 'a']) await send('POST', maps, configMap(name))
  const response = await simulation.settle(
    server.handle({
      method: 'GET',
      target: `${maps}?watch=1`,
      headers: { authorization: `Bearer ${adminToken}` },
      signal: never,
    }),
  )
  const events = await simulation.settle(takeEvents(response.body, 2))
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED a', 'ADDED b'],
  )
})

test('requests: a watch from a forgotten revision says so inside the stream', async () => {
  const simulation = new Simulation('too old')
  const data = new MemoryData()
  const store = createMemoryStore(data)
  for (let index = 0; index < 5; index++) {
    await store.commit(
      { writes: [{ kind: 'put', key: '/registry/x/y', value: Buffer.from('{}') }], guards: [] },
      never,
    )
  }
  await store.compact(await store.currentRevision(never), never)
  const server = createFleetServer({ world: simulation.process('a'), store, instance: 'a' })
  await simulation.settle(server.start(never))
  const answer = await simulation.settle(call(server.handle, 'GET', `${maps}?watch=1&resourceVersion=1`))
  assert.equal(answer.status, 200)
  assert.equal(answer.body.type, 'ERROR')
  assert.equal(answer.body.object.code, 410)
  assert.equal(answer.body.object.reason, 'Expired')
})

test('requests: the kinds of the platform, health and the version are there', async () => {
  const { send } = await startServer('discovery')
  const beacons = (await send('GET', '/apis/lighthouse.example.dev')).body
  assert.deepEqual(
    beacons.versions.map((each: { version: string }) => each.version),
    ['v1', 'v2'],
  )
  assert.equal((await send('GET', '/version')).body.major, '1')
  const verbose = await send('GET', '/readyz?verbose')
  assert.match(verbose.body, /\[\+\]poststarthook\/built-in-resources-storage-version-updater ok/)
})
