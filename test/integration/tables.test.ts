import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, maps, startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
const asTable = { accept }

interface Row {
  readonly cells: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: whatever came with the row.
  readonly object: any
}
const cellsOf = ({ rows }: { rows: readonly Row[] }) => rows.map(({ cells }) => cells)
const namesOf = ({ columnDefinitions }: { columnDefinitions: readonly { name: string }[] }) =>
  columnDefinitions.map(({ name }) => name)

test('tables: an object, a list and the answer to a write, with as much of the object as is asked for', async () => {
  const { send, simulation } = await startServer('tables')
  const made = await send('POST', `${maps}?includeObject=None`, configMap('a', { k: '1', l: '2' }), asTable)
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.rows, [{ cells: ['a', 2, '0s'], object: null }])
  await simulation.settle(new Promise<void>((resolve) => simulation.clock.after(185_000, resolve)))
  const one = await send('GET', `${maps}/a`, undefined, asTable)
  const { resourceVersion } = one.body.metadata
  assert.deepEqual(one.body.metadata, { resourceVersion })
  assert.deepEqual(namesOf(one.body), ['Name', 'Data', 'Age'])
  assert.equal(one.body.rows[0].cells[2], '3m5s')
  assert.equal(one.body.rows[0].object.kind, 'PartialObjectMetadata')
  assert.equal(one.body.rows[0].object.metadata.resourceVersion, resourceVersion)
  const whole = await send('GET', `${maps}?includeObject=Object`, undefined, asTable)
  assert.equal(whole.body.kind, 'Table')
  assert.deepEqual(
    [whole.body.rows[0].object.kind, whole.body.rows[0].object.data],
    ['ConfigMap', { k: '1', l: '2' }],
  )
  const empty = await send('GET', `${maps}?labelSelector=none`, undefined, asTable)
  assert.deepEqual([empty.body.rows, empty.body.columnDefinitions.length], [[], 3])
})

test('tables: pages are pages', async () => {
  const { send } = await startServer('table pages')
  for (const name of ['a', 'b', 'c']) await send('POST', maps, configMap(name))
  const { body: first } = await send('GET', `${maps}?limit=2`, undefined, asTable)
  assert.equal(first.metadata.remainingItemCount, 1)
  const next = `${maps}?limit=2&continue=${first.metadata.continue}`
  const { body: second } = await send('GET', next, undefined, asTable)
  assert.deepEqual(
    [...cellsOf(first), ...cellsOf(second)].map(([name]) => name),
    ['a', 'b', 'c'],
  )
  assert.equal(second.metadata.continue, undefined)
})

test('tables: what is deleted is shown where the object would be, and a Status stays a Status', async () => {
  const { send } = await startServer('table deletes')
  await send('POST', maps, configMap('a'))
  assert.equal((await send('DELETE', `${maps}/a`, undefined, asTable)).body.kind, 'Status')
  await send('POST', maps, { ...configMap('held'), metadata: { name: 'held', finalizers: ['x.dev/y'] } })
  const held = await send('DELETE', `${maps}/held`, undefined, asTable)
  assert.equal(held.body.rows[0].object.metadata.finalizers[0], 'x.dev/y')
  const all = await send('DELETE', maps, undefined, asTable)
  assert.deepEqual([all.body.kind, all.body.rows.length], ['Table', 1])
  const missing = await send('GET', `${maps}/none`, undefined, asTable)
  assert.deepEqual([missing.status, missing.body.kind], [404, 'Status'])
})

test('tables: a watch says once what its columns are, bookmarks are rows without content', async () => {
  const { send, server, simulation } = await startServer('table watch')
  await send('POST', maps, configMap('a'))
  const open = (query: string) =>
    simulation.settle(openWatch(server, `${maps}?watch=true&includeObject=None&${query}`, asTable))
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const [one, other] = [await open(initial), await open(initial)]
  await send('POST', maps, configMap('b', {}))
  await simulation.settle(new Promise<void>((resolve) => simulation.clock.after(10, resolve)))
  const seen = one.events.map(({ type, object }) => [
    type,
    object.columnDefinitions?.length ?? null,
    object.rows[0].cells,
  ])
  assert.deepEqual(seen, [
    ['ADDED', 3, ['a', 1, '0s']],
    ['BOOKMARK', null, ['', 0, '<unknown>']],
    ['ADDED', null, ['b', 0, '0s']],
  ])
  const [, bookmark, added] = one.events.map(({ object }) => object)
  assert.deepEqual(bookmark.rows[0].object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
  assert.equal(added.rows[0].object, null)
  assert.ok(Number(added.metadata.resourceVersion) > Number(bookmark.metadata.resourceVersion))
  assert.deepEqual(other.events, one.events)
})

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default', fieldPath: 'data' },
  reason: 'Why',
  message: ' text\n',
  source: { component: 'c', host: 'h' },
  type: 'Normal',
}

test('tables: the columns of kinds', async () => {
  const { send } = await startServer('table kinds')
  await send('POST', '/api/v1/namespaces/default/events', event)
  await send('POST', '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: 'b' },
  })
  const cases: ReadonlyArray<[path: string, columns: string, cells: readonly unknown[]]> = [
    [
      '/api/v1/namespaces/default/events',
      'Last Seen,Type,Reason,Object,Subobject,Source,Message,First Seen,Count,Name',
      ['<unknown>', 'Normal', 'Why', 'configmap/a', 'data', 'c, h', 'text', '<unknown>', 1, 'e'],
    ],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      'Last Seen,Type,Reason,Object,Subobject,Source,Message,First Seen,Count,Name',
      ['<unknown>', 'Normal', 'Why', 'configmap/a', 'data', 'c, h', 'text', '<unknown>', 1, 'e'],
    ],
    ['/api/v1/namespaces/default/secrets', 'Name,Type,Data,Age', ['s', 'Opaque', 1, '0s']],
    ['/api/v1/namespaces/default', 'Name,Status,Age', ['default', 'Active', '0s']],
    [
      '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/core.configmaps',
      'Name,CommonEncodingVersion,StorageVersions,Age',
      ['core.configmaps', 'v1', /^\S+=v1$/, '0s'],
    ],
    [
      '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps',
      'Name,Agreed,Servers,Epoch,Stored,Age',
      ['core.configmaps', 'v1', 1, 1, 'v1', '0s'],
    ],
  ]
  for (const [path, columns, cells] of cases) {
    const { status, body } = await send('GET', path, undefined, asTable)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(namesOf(body).join(), columns)
    const shown: unknown[] = body.rows[0].cells
    assert.equal(shown.length, cells.length)
    for (const [index, want] of cells.entries()) {
      if (want instanceof RegExp) assert.match(String(shown[index]), want)
      else assert.equal(shown[index], want, `${path} ${index}`)
    }
  }
})
