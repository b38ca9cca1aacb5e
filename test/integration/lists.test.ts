import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '@strata/server/store'
import { beacon, beaconPath, call } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const never = new AbortController().signal

interface Item {
  readonly metadata: { readonly name: string }
}
const names = (body: { items: Item[] }): string => body.items.map(({ metadata }) => metadata.name).join(' ')

/** A server with five objects, a to e. */
async function withFive(seed: string) {
  const started = await startServer(seed)
  for (const name of ['c', 'a', 'e', 'b', 'd']) {
    const labels = name < 'c' ? { early: 'y' } : {}
    await started.send('POST', maps, { ...configMap(name), metadata: { name, labels } })
  }
  const sleep = (ms: number): Promise<void> =>
    started.simulation.settle(new Promise((resolve) => started.simulation.clock.after(ms, resolve)))
  /** Forgets everything before now; changes something, so that the cache cannot help. */
  const compact = async (): Promise<void> => {
    await started.send('POST', maps, configMap('later'))
    const store = createMemoryStore(started.data)
    await started.simulation.settle(store.compact(started.data.revision, never))
  }
  return { ...started, sleep, compact }
}

test('lists: pages show one moment, whatever is written between them', async () => {
  const { send } = await withFive('pages')
  const first = await send('GET', `${maps}?limit=2`)
  assert.equal(names(first.body), 'a b')
  assert.equal(first.body.metadata.remainingItemCount, 3)
  await send('DELETE', `${maps}/c`)
  await send('POST', maps, configMap('cc'))
  const changed = await send('GET', `${maps}/d`)
  await send('PUT', `${maps}/d`, { ...changed.body, data: { k: 'new' } })
  const second = await send('GET', `${maps}?limit=2&continue=${first.body.metadata.continue}`)
  assert.equal(names(second.body), 'c d')
  assert.equal(second.body.items[1].data.k, 'v')
  assert.equal(second.body.metadata.resourceVersion, first.body.metadata.resourceVersion)
  assert.equal(second.body.metadata.remainingItemCount, 1)
  const last = await send('GET', `${maps}?limit=2&continue=${second.body.metadata.continue}`)
  assert.equal(names(last.body), 'e')
  assert.deepEqual(last.body.metadata, { resourceVersion: first.body.metadata.resourceVersion })
  assert.equal(names((await send('GET', maps)).body), 'a b cc d e')
})

test('lists: with a selector pages are full, and how many remain is not said', async () => {
  const { send } = await withFive('selected pages')
  const first = await send('GET', `${maps}?limit=2&labelSelector=!early`)
  assert.equal(names(first.body), 'c d')
  assert.equal(first.body.metadata.remainingItemCount, undefined)
  await send('DELETE', `${maps}/e`)
  const next = await send(
    'GET',
    `${maps}?limit=2&labelSelector=!early&continue=${first.body.metadata.continue}`,
  )
  assert.equal(names(next.body), 'e')
  assert.equal(next.body.metadata.continue, undefined)
})

test('lists: a token whose moment is forgotten is answered with one that goes on from now', async () => {
  const { send, compact } = await withFive('expired token')
  const first = await send('GET', `${maps}?limit=2`)
  await send('DELETE', `${maps}/d`)
  await compact()
  const expired = await send('GET', `${maps}?limit=2&continue=${first.body.metadata.continue}`)
  assert.equal(expired.status, 410)
  assert.equal(expired.body.reason, 'Expired')
  assert.match(
    expired.body.message,
    /^The provided continue parameter is too old to display a consistent list/,
  )
  assert.ok(expired.body.metadata.continue)
  const rest = await send('GET', `${maps}?limit=9&continue=${expired.body.metadata.continue}`)
  assert.equal(names(rest.body), 'c e later')
})

test('lists: exactly a revision, as long as it is remembered', async () => {
  const { send, compact } = await withFive('exact')
  const { resourceVersion } = (await send('GET', maps)).body.metadata
  await send('DELETE', `${maps}/a`)
  const exact = `${maps}?resourceVersion=${resourceVersion}`
  assert.equal(names((await send('GET', `${exact}&resourceVersionMatch=Exact`)).body), 'a b c d e')
  // The old way to say it.
  assert.equal(names((await send('GET', `${exact}&limit=2`)).body), 'a b')
  assert.equal(names((await send('GET', exact)).body), 'b c d e')
  const one = await send('GET', `${exact}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Da`)
  assert.equal(names(one.body), 'a')
  await compact()
  const gone = await send('GET', `${exact}&resourceVersionMatch=Exact`)
  assert.equal(gone.status, 410)
  assert.equal(gone.body.message, 'The resourceVersion for the provided list is too old.')
  assert.deepEqual(gone.body.metadata, {})
  const paged = await send('GET', `${exact}&limit=2`)
  assert.equal(paged.status, 410)
  assert.match(paged.body.message, /You can start a new list without the continue parameter\.$/)
})

for (const target of [maps, `${maps}/a`, `${maps}?resourceVersionMatch=Exact`]) {
  test(`lists: ${target} at a revision yet to come waits three seconds for it, and no longer`, async () => {
    const { send, simulation, data } = await withFive('future')
    const from = simulation.clock.monotonicMs()
    const mark = target.includes('?') ? '&' : '?'
    const late = await send('GET', `${target}${mark}resourceVersion=${data.revision + 1000}`)
    assert.equal(late.status, 504)
    assert.match(late.body.message, /^Timeout: Too large resource version: \d+, current: \d+$/)
    assert.equal(late.body.details.causes[0].reason, 'ResourceVersionTooLarge')
    const waited = simulation.clock.monotonicMs() - from
    assert.ok(waited >= 2_999 && waited < 3_500, `${waited} ms`)
    assert.ok(data.revision < 100, 'waiting must not make the server write')
  })
}

test('lists: a revision that comes while it is waited for is answered', async () => {
  const { send, simulation, server, data } = await withFive('soon')
  const soon = send('GET', `${maps}?resourceVersion=${data.revision + 1}`)
  simulation.clock.after(500, () => void call(server.handle, 'POST', maps, configMap('f')))
  const { status, body } = await soon
  assert.equal(status, 200)
  assert.equal(names(body), 'a b c d e f')
})

test('lists: items of kinds that are Go structs upstream do not repeat their kind, others do', async () => {
  const { send } = await withFive('items')
  await send('POST', beaconPath('v1'), beacon('v1', 'one', 5))
  const typed = await send('GET', maps)
  assert.equal(typed.body.kind, 'ConfigMapList')
  assert.equal(typed.body.items[0].kind, undefined)
  assert.match(typed.body.items[0].metadata.resourceVersion, /^\d+$/)
  const custom = await send('GET', beaconPath('v2'))
  assert.equal(custom.body.items[0].kind, 'Beacon')
  assert.equal(custom.body.items[0].apiVersion, 'lighthouse.example.dev/v2')
  assert.equal(custom.body.items[0].spec.periodMs, 5000)
  assert.equal(custom.body.metadata.continue, '')
})

test('lists: one that is too long for one piece arrives whole', async () => {
  const { send } = await startServer('long')
  const text = 'x'.repeat(40_000)
  const made: string[] = []
  for (let index = 0; index < 30; index++) {
    const name = `long-${String(index).padStart(3, '0')}`
    made.push(name)
    await send('POST', maps, configMap(name, { text }))
  }
  const { body } = await send('GET', maps)
  assert.equal(names(body), made.join(' '))
  assert.ok(body.items.every((item: { data: { text: string } }) => item.data.text === text))
})

test('lists: only metadata, when that is asked for', async () => {
  const { send } = await withFive('metadata')
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
  const { body } = await send('GET', `${maps}?limit=1`, undefined, { accept })
  assert.equal(body.kind, 'PartialObjectMetadataList')
  assert.equal(body.items[0].kind, 'PartialObjectMetadata')
  assert.equal(body.items[0].data, undefined)
  assert.equal(body.metadata.remainingItemCount, 4)
})

test('lists: pages from the cache and from the store fit together, whatever names are made of', async () => {
  const { send } = await startServer('names of roles')
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
  for (const name of ['\u{1f600}', 'a', '\uff21'])
    await send('POST', roles, { metadata: { name }, rules: [] })
  const first = await send('GET', `${roles}?limit=2`)
  assert.equal(names(first.body), 'a \uff21')
  const role = await send('GET', `${roles}/${encodeURIComponent('\u{1f600}')}`)
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]
  const path = `${roles}/${encodeURIComponent('\u{1f600}')}`
  assert.equal((await send('PUT', path, { ...role.body, rules })).status, 200)
  const token = encodeURIComponent(first.body.metadata.continue)
  const second = await send('GET', `${roles}?limit=2&continue=${token}`)
  assert.equal(names(second.body), '\u{1f600}')
})

test('lists: a resourceVersion that no number holds is repeated exactly, and read as upstream reads it', async () => {
  const { send } = await withFive('exact-versions')
  const most = '9223372036854775807'
  const token = Buffer.from(`{"v":"meta.k8s.io/v1","rv":${most},"start":"b\\u0000"}`).toString('base64url')
  const asked = [
    `${maps}?resourceVersion=${most}`,
    `${maps}?resourceVersion=${most}&resourceVersionMatch=Exact`,
    `${maps}?resourceVersion=${most}&resourceVersionMatch=NotOlderThan`,
    `${maps}?limit=1&continue=${token}`,
    `${maps}/a?resourceVersion=${most}`,
  ]
  for (const path of asked) {
    const { status, body } = await send('GET', path)
    assert.equal(status, 504, path)
    assert.match(
      body.message,
      new RegExp(`^Timeout: Too large resource version: ${most}, current: [0-9]+$`),
      path,
    )
  }
  const { body: stored } = await send('GET', `${maps}/a`)
  const put = await send('PUT', `${maps}/a`, {
    ...stored,
    metadata: { ...stored.metadata, resourceVersion: most },
  })
  assert.deepEqual([put.status, put.body.reason], [409, 'Conflict'])
  const removed = await send('DELETE', `${maps}/a`, { preconditions: { resourceVersion: most } })
  assert.equal(removed.status, 409)
  assert.ok(removed.body.message.includes(most), removed.body.message)
})
