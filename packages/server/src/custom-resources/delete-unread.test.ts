import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServedResource } from '../registry/index.ts'
import type { Entry } from '../store/index.ts'
import { createMemoryStore, MemoryData } from '../store/memory/index.ts'
import { deleteUnread, isReadHere } from './delete-unread.ts'

const { signal } = new AbortController()
const key = '/registry/light.example.dev/lamps/default/bad'
const definitionKey = '/registry/apiextensions.k8s.io/customresourcedefinitions/lamps.light.example.dev'

const bytes = (apiVersion: string, metadata: object = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ kind: 'Lamp', apiVersion, metadata: { name: 'bad', ...metadata } }))

async function stored(metadata: object) {
  const store = createMemoryStore(new MemoryData())
  const put = async (at: string, value: Uint8Array): Promise<Entry> => {
    await store.commit({ writes: [{ kind: 'put', key: at, value }], guards: [] }, signal)
    const [entry] = (await store.read([at], signal)).entries
    assert.ok(entry)
    return entry
  }
  const instance = await put(key, bytes('light.example.dev/v1alpha1', metadata))
  const definition = await put(definitionKey, bytes('apiextensions.k8s.io/v1'))
  const isThere = async (): Promise<boolean> => (await store.read([key], signal)).entries[0] !== undefined
  return { store, put, instance, definition, isThere }
}

test('an instance that cannot be read goes with its definition', async () => {
  const { store, instance, definition, isThere } = await stored({})
  assert.equal(await deleteUnread(store, instance, definition, signal), undefined)
  assert.equal(await isThere(), false)
})

test('not while it has finalizers', async () => {
  const { store, instance, definition, isThere } = await stored({ finalizers: ['example.dev/one'] })
  const why = await deleteUnread(store, instance, definition, signal)
  assert.match(
    why ?? '',
    /lamps\/default\/bad cannot be decoded, and is kept by its finalizers example\.dev\/one/,
  )
  assert.equal(await isThere(), true)
})

for (const changed of ['the instance', 'its definition']) {
  test(`not if ${changed} has changed since`, async () => {
    const { store, put, instance, definition, isThere } = await stored({})
    if (changed === 'the instance') await put(key, bytes('light.example.dev/v1'))
    else await put(definitionKey, bytes('apiextensions.k8s.io/v1', { generation: 2 }))
    assert.match((await deleteUnread(store, instance, definition, signal)) ?? '', /has just changed/)
    assert.equal(await isThere(), true)
  })
}

const cases: ReadonlyArray<
  [name: string, storedAs: string, needsWebhook: boolean, metadata: object, want: boolean]
> = [
  ['what is stored in the version it is read in is read', 'v1', true, {}, true],
  ['what only has to be renamed is read', 'v1beta1', false, {}, true],
  ['what a webhook would have to convert is not', 'v1beta1', true, {}, false],
  ['unless it has finalizers', 'v1beta1', true, { finalizers: ['a/b'] }, true],
  ['what no version can read is not', 'v1alpha1', false, { finalizers: ['a/b'] }, false],
]
for (const [name, storedAs, needsWebhook, metadata, want] of cases) {
  test(`deleted with its definition: ${name}`, () => {
    const codec = {
      needsWebhook,
      decodableVersions: ['g/v1beta1', 'g/v1'],
      storedVersion: (value: Uint8Array) => JSON.parse(Buffer.from(value).toString()).apiVersion,
    }
    const resource = { codec, apiVersion: 'g/v1' } as unknown as ServedResource
    assert.equal(isReadHere(resource, { value: bytes(`g/${storedAs}`, metadata) } as Entry), want)
  })
}
