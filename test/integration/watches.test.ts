import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '@strata/server/store'
import { configMap, maps, startServer } from '../support/one-server.ts'
import { openWatch, type SeenEvent } from '../support/open-watch.ts'

const never = new AbortController().signal

async function withWatches(seed: string) {
  const started = await startServer(seed)
  const { simulation, server, data } = started
  return {
    ...started,
    sleep: (ms: number): Promise<void> =>
      simulation.settle(new Promise((resolve) => simulation.clock.after(ms, resolve))),
    watch: (query: string, path = maps) =>
      simulation.settle(openWatch(server, `${path}?watch=true&${query}`)),
    revision: () => data.revision,
  }
}

const shown = (events: readonly SeenEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.kind}`)
const labelled = (name: string, labels: Record<string, string>) => ({
  ...configMap(name),
  metadata: { name, labels },
})

test('watches: from a revision, every change after it', async () => {
  const { send, watch, sleep, revision } = await withWatches('past')
  await send('POST', maps, configMap('before'))
  const from = revision()
  const made = await send('POST', maps, configMap('a'))
  const open = await watch(`resourceVersion=${from}`)
  await send('PUT', `${maps}/a`, { ...made.body, data: { k: '2' } })
  await send('DELETE', `${maps}/a`)
  await sleep(10)
  assert.deepEqual(shown(open.events), ['ADDED a', 'MODIFIED a', 'DELETED a'])
  const versions = open.events.map(({ object }) => Number(object.metadata.resourceVersion))
  assert.deepEqual(
    versions,
    [...versions].sort((a, b) => a - b),
  )
  assert.equal(versions[2], revision())
  assert.equal(open.events[2]?.object.data.k, '2')
})

for (const query of ['', 'resourceVersion=0']) {
  test(`watches: with "${query}" what there is comes first, and bookmarks only if they are wanted`, async () => {
    const { send, watch, sleep } = await withWatches('state')
    for (const name of ['b', 'a']) await send('POST', maps, configMap(name))
    const plain = await watch(query)
    const marked = await watch(`${query}&allowWatchBookmarks=true`)
    await send('POST', maps, configMap('c'))
    await sleep(10)
    assert.deepEqual(shown(plain.events), ['ADDED a', 'ADDED b', 'ADDED c'])
    assert.deepEqual(shown(marked.events), ['ADDED a', 'ADDED b', 'BOOKMARK ConfigMap', 'ADDED c'])
    assert.deepEqual(marked.events[2]?.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
  })
}

const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'

test('watches: initial events end with a bookmark that is not older than what was asked for', async () => {
  const { send, watch, sleep, revision } = await withWatches('initial events')
  await send('POST', maps, configMap('a'))
  const open = await watch(`${initial}&resourceVersion=${revision()}`)
  await sleep(10)
  assert.deepEqual(shown(open.events), ['ADDED a', 'BOOKMARK ConfigMap'])
  const { metadata, kind, apiVersion } = open.events[1]?.object ?? {}
  assert.deepEqual([kind, apiVersion], ['ConfigMap', 'v1'])
  assert.ok(Number(metadata.resourceVersion) >= revision())
})

test('watches: without initial events only what is new is sent', async () => {
  const { send, watch, sleep } = await withWatches('no initial events')
  await send('POST', maps, configMap('a'))
  const open = await watch(`${initial.replace('true', 'false')}`)
  await send('POST', maps, configMap('b'))
  await sleep(10)
  assert.deepEqual(shown(open.events), ['ADDED b'])
})

test('watches: from the future is silent until it comes; with initial events it is refused in time', async () => {
  const { send, watch, sleep, revision, simulation } = await withWatches('future')
  const plain = await watch(`resourceVersion=${revision() + 2}`)
  for (const name of ['a', 'b', 'c', 'd']) await send('POST', maps, configMap(name))
  await sleep(10)
  assert.deepEqual(shown(plain.events), ['ADDED c', 'ADDED d'])
  const from = simulation.clock.monotonicMs()
  const refused = await watch(`${initial}&resourceVersion=${revision() + 1000}`)
  await sleep(10)
  assert.equal(refused.status, 200)
  assert.deepEqual(shown(refused.events), ['ERROR Status'])
  assert.equal(refused.events[0]?.object.code, 504)
  assert.ok(refused.ended)
  assert.ok(simulation.clock.monotonicMs() - from >= 2_999)
})

test('watches: with a selector, objects come and go as they match', async () => {
  const { send, watch, sleep, revision } = await withWatches('transitions')
  const open = await watch(`resourceVersion=${revision()}&labelSelector=on`)
  await send('POST', maps, configMap('never'))
  const off = await send('POST', maps, configMap('a'))
  const on = await send('PUT', `${maps}/a`, labelled('a', { on: 'y' }))
  await send('PUT', `${maps}/a`, labelled('a', { on: 'z' }))
  const gone = await send('PUT', `${maps}/a`, off.body.kind ? configMap('a') : {})
  await send('DELETE', `${maps}/a`)
  await sleep(10)
  assert.deepEqual(shown(open.events), ['ADDED a', 'MODIFIED a', 'DELETED a'])
  assert.equal(open.events[0]?.object.metadata.resourceVersion, on.body.metadata.resourceVersion)
  assert.equal(open.events[2]?.object.metadata.resourceVersion, gone.body.metadata.resourceVersion)
  assert.deepEqual(open.events[2]?.object.metadata.labels, { on: 'z' })
})

test('watches: of one object, of one namespace, of all of them', async () => {
  const { send, watch, sleep, revision } = await withWatches('scopes')
  const other = maps.replace('default', 'kube-system')
  const from = `resourceVersion=${revision()}`
  const one = await watch(`${from}&fieldSelector=metadata.name%3Da`)
  const namespace = await watch(from, other)
  const all = await watch(from, '/api/v1/configmaps')
  const named = await watch(`${from}&fieldSelector=metadata.name%3Da`, '/api/v1/configmaps')
  for (const [path, name] of [
    [maps, 'a'],
    [maps, 'ab'],
    [other, 'a'],
  ] as const) {
    await send('POST', path, configMap(name))
  }
  await sleep(10)
  const places = (events: readonly SeenEvent[]): string =>
    events.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`).join(' ')
  assert.equal(places(one.events), 'default/a')
  assert.equal(places(namespace.events), 'kube-system/a')
  assert.equal(places(all.events), 'default/a default/ab kube-system/a')
  assert.equal(places(named.events), 'default/a kube-system/a')
})

test('watches: a revision that is forgotten is answered inside the stream', async () => {
  const { send, watch, sleep, server, data, simulation } = await withWatches('too old')
  const store = createMemoryStore(data)
  const before = data.revision
  for (let index = 0; index < 12_600; index++) {
    server.cache.collection('/registry/configmaps/').put({
      key: '/registry/configmaps/default/x',
      value: Buffer.from('{}'),
      revision: before + index + 1,
      createRevision: before,
    })
  }
  const open = await watch('resourceVersion=1')
  await sleep(10)
  assert.equal(open.status, 200)
  assert.deepEqual(shown(open.events), ['ERROR Status'])
  const { code, reason, message } = open.events[0]?.object ?? {}
  assert.deepEqual([code, reason], [410, 'Expired'])
  assert.match(message, /^too old resource version: 1 \(\d+\)$/)
  assert.ok(open.ended)
  await simulation.settle(store.close())
  await send('GET', '/livez')
})

test('watches: end in time, with bookmarks every minute and one shortly before', async () => {
  const { send, watch, sleep } = await withWatches('bookmarks')
  const open = await watch('resourceVersion=1&timeoutSeconds=150&allowWatchBookmarks=true')
  await sleep(70_000)
  const made = await send('POST', maps, configMap('a'))
  await sleep(77_000)
  assert.equal(open.ended, false)
  await sleep(2_000)
  const types = open.events.map(({ type }) => type).filter((type) => type !== 'ADDED')
  assert.ok(types.length >= 3 && types.length <= 4, String(types))
  const last = open.events.at(-1)
  assert.equal(last?.type, 'BOOKMARK')
  assert.ok(Number(last?.object.metadata.resourceVersion) >= Number(made.body.metadata.resourceVersion))
  await sleep(2_000)
  assert.equal(open.ended, true)
})

test('watches: a client that does not read is cut off, and others are not', async () => {
  const { send, watch, sleep, revision } = await withWatches('slow')
  const slow = await watch(`resourceVersion=${revision()}`)
  const quick = await watch(`resourceVersion=${revision()}`)
  const wakes = Promise.withResolvers<void>()
  slow.pause(wakes.promise)
  const text = 'x'.repeat(900_000)
  for (let index = 0; index < 25; index++) await send('POST', maps, configMap(`big-${index}`, { text }))
  await sleep(10)
  assert.equal(quick.events.length, 25)
  assert.equal(quick.ended, false)
  wakes.resolve()
  await sleep(10)
  assert.equal(slow.ended, true)
  assert.ok(slow.events.length < 5, `${slow.events.length} events were kept for it`)
})

test('watches: all watchers of one form are sent the same bytes', async () => {
  const { send, server, simulation, revision } = await withWatches('shared')
  const from = revision()
  await send('POST', maps, configMap('a'))
  const first = async (): Promise<Uint8Array> => {
    const response = await server.handle({
      method: 'GET',
      target: `${maps}?watch=true&resourceVersion=${from}`,
      headers: { authorization: 'Bearer admin-token' },
      signal: never,
    })
    assert.ok(!(response.body instanceof Uint8Array))
    for await (const chunk of response.body) return chunk
    assert.fail('nothing came')
  }
  const one = await simulation.settle(first())
  const two = await simulation.settle(first())
  assert.equal(one, two)
})

test('watches: only metadata, when that is asked for', async () => {
  const { send, server, simulation, sleep, revision } = await withWatches('metadata')
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
  const target = `${maps}?watch=true&resourceVersion=${revision()}`
  const open = await simulation.settle(openWatch(server, target, { accept }))
  await send('POST', maps, configMap('a'))
  await sleep(10)
  assert.equal(open.events[0]?.object.kind, 'PartialObjectMetadata')
  assert.equal(open.events[0]?.object.data, undefined)
})
