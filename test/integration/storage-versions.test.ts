import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const objects = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const name = 'things.example.dev.widgets'
const path = `${objects}/${name}`
const object = (more: object = {}, named = name) => ({
  apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
  kind: 'StorageVersion',
  metadata: { name: named },
  spec: {},
  ...more,
})
const server = (apiServerID: string, encodingVersion = 'v1') => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
})
const status = { storageVersions: [server('a')], commonEncodingVersion: 'v1' }
const as = (type: string) => ({ 'content-type': `application/${type}` })
const merge = as('merge-patch+json')

test('StorageVersion N6: create drops the status, update keeps it, and only the status is written by its path', async () => {
  const { send } = await startServer('storage-versions')
  const made = await send('POST', objects, object({ status }))
  assert.equal(made.status, 201)
  assert.deepEqual([made.body.spec, made.body.status], [{}, {}])
  assert.equal(made.body.metadata.generation, undefined)
  const { resourceVersion } = made.body.metadata
  const versioned = { name, resourceVersion }
  const reported = await send('PUT', `${path}/status`, {
    ...object({ status }),
    metadata: { ...versioned, labels: { not: 'taken' } },
  })
  assert.equal(reported.status, 200, JSON.stringify(reported.body))
  assert.deepEqual([reported.body.status, reported.body.metadata.labels], [status, undefined])
  const stale = await send('PUT', path, { ...object(), metadata: versioned })
  assert.equal(stale.status, 409)
  const labelled = await send('PUT', path, {
    ...object({ status: {} }),
    metadata: { name, resourceVersion: reported.body.metadata.resourceVersion, labels: { a: 'b' } },
  })
  assert.deepEqual([labelled.body.status, labelled.body.metadata.labels], [status, { a: 'b' }])
  const blind = await send('PUT', path, object())
  assert.equal(blind.status, 422, 'no unconditional update')
  const absent = await send('PUT', `${objects}/no.such`, {
    ...object({}, 'no.such'),
    metadata: { name: 'no.such', resourceVersion: '1' },
  })
  assert.equal(absent.status, 404, 'no create on update')
  assert.equal((await send('DELETE', path)).body.status, 'Success')
  assert.equal((await send('GET', path)).status, 404)
})

test('StorageVersion N6: lists, selectors, generated names and deletion of a collection', async () => {
  const { send } = await startServer('storage-versions-collection')
  const mine = { labels: { mine: 'yes' } }
  for (const each of ['one.dev.things', 'two.dev.things']) {
    await send('POST', objects, { ...object(), metadata: { name: each, ...mine } })
  }
  const generated = await send('POST', objects, { ...object(), metadata: { generateName: 'test.x' } })
  assert.equal(generated.status, 201, JSON.stringify(generated.body))
  assert.match(generated.body.metadata.name, /^test\.x[a-z0-9]{5}$/)
  const listed = await send('GET', `${objects}?labelSelector=mine`)
  assert.deepEqual(
    listed.body.items.map((each: { metadata: { name: string } }) => each.metadata.name),
    ['one.dev.things', 'two.dev.things'],
  )
  assert.equal((await send('DELETE', `${objects}?labelSelector=mine`)).status, 200)
  assert.equal((await send('GET', `${objects}?labelSelector=mine`)).body.items.length, 0)
  // Everything would include what the servers hold.
  assert.equal((await send('DELETE', objects)).status, 403)
  assert.equal((await send('GET', `${objects}/core.configmaps`)).status, 200)
})

test('StorageVersion N6: a watch sees each come, change and go, also those that the servers hold', async () => {
  const { send, server: watched, simulation } = await startServer('storage-versions-watch')
  const { items, metadata } = (await send('GET', objects)).body
  const since = `${objects}?watch=true&resourceVersion=${metadata.resourceVersion}`
  const labelled = await simulation.settle(openWatch(watched, `${since}&labelSelector=mine`))
  const all = await simulation.settle(openWatch(watched, `${objects}?watch=true&resourceVersion=0`))
  await send('POST', objects, object({ metadata: { name, labels: { mine: 'yes' } } }))
  await send('PATCH', `${path}/status`, { status }, merge)
  await send('DELETE', path)
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  const seen = labelled.events.map(({ type, object: { kind, metadata, status: shown } }) => [
    ...[type, kind, metadata.name],
    shown,
  ])
  assert.deepEqual(seen, [
    ['ADDED', 'StorageVersion', name, {}],
    ['MODIFIED', 'StorageVersion', name, status],
    ['DELETED', 'StorageVersion', name, status],
  ])
  assert.ok(items.length > 10)
  assert.deepEqual(
    all.events.slice(0, items.length).map(({ type, object: { metadata } }) => `${type} ${metadata.name}`),
    items.map(({ metadata }: { metadata: { name: string } }) => `ADDED ${metadata.name}`),
  )
  assert.equal(all.events.length, items.length + 3)
})

test('StorageVersion N6: every form of patch, on the status and beside it', async () => {
  const { send } = await startServer('storage-versions-patches')
  await send('POST', objects, object())
  const two = { storageVersions: [server('a'), server('b', 'v2')] }
  const merged = await send('PATCH', `${path}/status`, { status }, merge)
  assert.deepEqual(merged.body.status, status)
  // Upstream's lists have no merge key here: a strategic patch replaces them too.
  const strategic = await send(
    'PATCH',
    `${path}/status`,
    { status: { storageVersions: [server('b', 'v2')], commonEncodingVersion: 'v2' } },
    as('strategic-merge-patch+json'),
  )
  assert.deepEqual(strategic.body.status.storageVersions, [server('b', 'v2')])
  const json = [{ op: 'replace', path: '/status', value: two }]
  assert.deepEqual((await send('PATCH', `${path}/status`, json, as('json-patch+json'))).body.status, two)
  const condition = { type: 'Odd', status: 'Maybe', reason: 'R', message: 'm' }
  const conditions = [{ ...condition, observedGeneration: 0 }]
  const patched = await send('PATCH', `${path}/status`, { status: { conditions } }, merge)
  assert.deepEqual(
    patched.body.status.conditions,
    [{ ...condition, lastTransitionTime: null }],
    'as Go writes it',
  )
  await send('PATCH', `${path}/status`, { status: { conditions: null } }, merge)
  const ignored = await send('PATCH', path, { status: null, metadata: { labels: { a: 'b' } } }, merge)
  assert.deepEqual([ignored.body.status, ignored.body.metadata.labels], [two, { a: 'b' }])
  const refused = await send('PATCH', `${path}/status`, { status: { commonEncodingVersion: 'v1' } }, merge)
  assert.equal(refused.status, 422)
  assert.match(refused.body.message, /status\.commonEncodingVersion: Invalid value: "v1": should be nil/)
})

test('StorageVersion N6: applied entries are merged by server, each owned by its applier', async () => {
  const { send } = await startServer('storage-versions-apply')
  const apply = (manager: string, applied: object, sub = '') =>
    send('PATCH', `${path}${sub}?fieldManager=${manager}&force=true`, applied, as('apply-patch+yaml'))
  assert.equal((await apply('me', object())).status, 201)
  const first = { storageVersions: [server('a')], commonEncodingVersion: 'v1' }
  assert.equal((await apply('a', object({ status: first }), '/status')).status, 200)
  const both = await apply(
    'b',
    object({ status: { storageVersions: [server('b')], commonEncodingVersion: 'v1' } }),
    '/status',
  )
  assert.equal(both.status, 200, JSON.stringify(both.body))
  assert.deepEqual(
    both.body.status.storageVersions.map((each: { apiServerID: string }) => each.apiServerID),
    ['a', 'b'],
  )
  const managers = both.body.metadata.managedFields.map(
    (each: { manager: string; operation: string; subresource?: string }) =>
      [each.manager, each.operation, each.subresource ?? ''].join(' '),
  )
  assert.deepEqual(managers.toSorted(), ['a Apply status', 'b Apply status', 'me Apply '])
})

test('StorageVersion N5: only the name of a resource names one', async () => {
  const { send } = await startServer('storage-versions-names')
  const refused = await send('POST', objects, object({}, 'nodot'))
  assert.equal(
    refused.body.message,
    'StorageVersion.internal.apiserver.k8s.io "nodot" is invalid: metadata.name: Invalid value: "nodot": name must be in the form of <group>.<resource>',
  )
  const odd = await send('POST', objects, {
    ...object(),
    metadata: { name, finalizers: ['unqualified'], labels: { '-': '' } },
  })
  assert.equal(odd.status, 422)
  await send('POST', objects, object())
  // An update looks at no more than what is asked of every object, and asks it twice.
  const finalizers = await send('PATCH', path, { metadata: { finalizers: ['unqualified'] } }, merge)
  assert.equal(finalizers.status, 200, JSON.stringify(finalizers.body))
  const labels = await send('PATCH', path, { metadata: { labels: { '-': '' } } }, merge)
  assert.equal(labels.body.details.causes.length, 2)
})

test('StorageVersion: a table shows three servers and how many more', async () => {
  const { send } = await startServer('storage-versions-table')
  const cells = async () => {
    const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
    return (await send('GET', path, undefined, asTable)).body.rows[0].cells
  }
  await send('POST', objects, object())
  assert.deepEqual(await cells(), [name, '<unset>', '<unset>', '0s'])
  const five = ['a', 'b', 'c', 'd', 'e'].map((each) => server(each))
  const many = { storageVersions: five, commonEncodingVersion: 'v1' }
  assert.equal((await send('PATCH', `${path}/status`, { status: many }, merge)).status, 200)
  assert.deepEqual(await cells(), [name, 'v1', 'a=v1,b=v1,c=v1 + 2 more...', '0s'])
})

/** A field of a message that is itself a text or a message, shorter than 128 bytes. */
const field = (number: number, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
}
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields)

test('StorageVersion: an entry in protobuf is the entry in JSON', async () => {
  const { send } = await startServer('storage-versions-protobuf')
  const sent = (...fields: Buffer[]): Uint8Array =>
    message(
      Buffer.from('k8s\0'),
      field(1, message(field(1, 'internal.apiserver.k8s.io/v1alpha1'), field(2, 'StorageVersion'))),
      field(2, message(...fields)),
    )
  const protobuf = as('vnd.kubernetes.protobuf')
  const made = await send('POST', objects, sent(field(1, field(1, name))), protobuf)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const metadata = field(1, message(field(1, name), field(6, made.body.metadata.resourceVersion)))
  const entry = message(field(1, 'a'), field(2, 'v1'), field(3, 'v1'), field(3, 'v2'))
  const reported = field(3, message(field(1, entry), field(2, 'v1')))
  const put = await send('PUT', `${path}/status`, sent(metadata, reported), protobuf)
  assert.equal(put.status, 200, JSON.stringify(put.body))
  assert.deepEqual([put.body.spec, put.body.status], [{}, status])
})

test('StorageVersion A3: events are one resource in two groups, and the core group speaks for both', async () => {
  const { send } = await startServer('storage-versions-events')
  const shown = await send('GET', `${objects}/core.events`)
  assert.equal(shown.body.status.commonEncodingVersion, 'v1')
  assert.equal((await send('GET', `${objects}/events.k8s.io.events`)).status, 404)
})

test('StorageVersion P10, P9: what is served in another group is named, decodable too, and in order', async () => {
  const { send } = await startServer('storage-versions-equivalents')
  const { storageVersions } = (await send('GET', `${objects}/core.events`)).body.status
  const both = ['events.k8s.io/v1', 'v1']
  assert.deepEqual(
    [
      storageVersions[0].encodingVersion,
      storageVersions[0].decodableVersions,
      storageVersions[0].servedVersions,
    ],
    ['v1', both, both],
  )
})
