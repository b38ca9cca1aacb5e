import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../store/homes.ts'
import { type ChangeBatch, StoreUnavailable } from '../store/index.ts'
import { EncryptedStore } from './encrypted-store.ts'
import type { Encryption } from './encryption.ts'
import { KeyRing, plainProvider } from './key-ring.ts'
import { CannotOpen, type KeyReader, type KeyWriter } from './sealing-key.ts'

const never = new AbortController().signal
const path = '/registry/secrets/default/x'
const prefix = Buffer.from('k8s:enc:test:v1:k:')

/** A store whose one key can be away, and lost for one text. */
function create(seed: string) {
  const simulation = new Simulation(seed)
  const { clock } = simulation.process('a')
  const state = { isAway: false, lost: '' }
  const away = (): void => {
    if (state.isAway) throw new CannotOpen('away', { isPassing: true })
  }
  const writer: KeyWriter = {
    id: 'test:k:1',
    seal: (plain) => {
      away()
      return Buffer.concat([prefix, plain])
    },
  }
  const reader: KeyReader = {
    prefix,
    open: (body) => {
      away()
      if (body.toString() === state.lost) throw new CannotOpen('lost', { isPassing: true })
      return { value: body, under: 'test:k:1' }
    },
  }
  const ring = new KeyRing([{ readers: [reader], writers: [writer], readable: ['test:k:1'] }, plainProvider])
  const encryption = { ringOf: () => ring, onChange: () => {} } as unknown as Encryption
  const data = new MemoryData()
  const ended = new AbortController()
  const store = new EncryptedStore(createMemoryStore(data), encryption, {
    ...{ clock, log: silentLog, signal: ended.signal },
    resourceOf: (key) =>
      key.startsWith('/registry/secrets/') ? { group: '', resource: 'secrets' } : undefined,
  })
  const put = (key: string, text: string, under?: string) =>
    store.commit(
      {
        writes: [{ kind: 'put', key, value: Buffer.from(text), ...(under === undefined ? {} : { under }) }],
        guards: [],
      },
      never,
    )
  /** Whether watches are notified within that time to read everything anew. */
  const isNotifiedWithin = async (ms: number, after: number): Promise<boolean> => {
    const looking = new AbortController()
    let isNotified = false
    const watching = (async () => {
      for await (const _ of store.watch('/registry/', after, looking.signal));
    })().catch((error: Error) => {
      isNotified = error.name === 'OpenedLate'
    })
    await simulation.settle(new Promise<void>((resolve) => clock.after(ms, resolve)))
    looking.abort()
    await simulation.settle(watching)
    return isNotified
  }
  return { simulation, state, store, data, put, isNotifiedWithin, end: () => ended.abort() }
}
const textOf = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString()

test('encrypted store: every reading says what it says, and under which key', async () => {
  const { store, put, data } = create('reading')
  await put(path, 'secret', 'test:k:1')
  await put(`${path}-plain`, 'as it is', 'identity')
  await put('/registry/leases/x', 'no secret')
  assert.equal(textOf(data.read([path]).entries[0]?.value), 'k8s:enc:test:v1:k:secret')
  const { entries } = await store.list({ prefix: '/registry/' }, never)
  assert.deepEqual(
    entries.map(({ value, under }) => [textOf(value), under]),
    [
      ['no secret', undefined],
      ['secret', 'test:k:1'],
      ['as it is', undefined],
    ],
  )
  const refused = await store.commit({ writes: [], guards: [{ key: path, revision: 'absent' }] }, never)
  assert.equal(textOf(refused.outcome === 'refused' ? refused.broken[0].current?.value : undefined), 'secret')
})

test('encrypted store: a write that names no key is a mistake, and is not stored in the clear', async () => {
  const { put, data } = create('forgotten')
  await assert.rejects(put(path, 'secret'), /does not say which key it is under/)
  assert.equal(data.read([path]).entries[0], undefined)
})

test('encrypted store: a key that is away refuses a write as a store does that is away', async () => {
  const { put, state } = create('away')
  state.isAway = true
  await assert.rejects(put(path, 'secret', 'test:k:1'), StoreUnavailable)
})

test('encrypted store: what could not be opened is handed on as it is, and read anew when it can be', async () => {
  const { simulation, state, store, put, end } = create('late')
  await put(path, 'secret', 'test:k:1')
  const { revision } = await store.list({ prefix: '/registry/' }, never)
  state.isAway = true
  await put('/registry/leases/x', 'other')
  const batches: ChangeBatch[] = []
  const watching = (async () => {
    for await (const batch of store.watch('/registry/', revision - 1, never)) batches.push(batch)
  })()
  const failed = assert.rejects(watching, { name: 'OpenedLate' })
  await simulation.settle(new Promise<void>((resolve) => simulation.clock.after(1_000, resolve)))
  const sealed = batches.flatMap(({ changes }) => changes).find(({ key }) => key === path)
  assert.equal(sealed?.kind === 'put' && textOf(sealed.value), 'k8s:enc:test:v1:k:secret')
  state.isAway = false
  await simulation.settle(failed)
  const again = await store.list({ prefix: path }, never)
  assert.equal(textOf(again.entries[0]?.value), 'secret')
  end()
})

test('encrypted store: one value that can never be opened does not keep another one behind it from being opened', async () => {
  const { state, store, put, isNotifiedWithin, end } = create('lost')
  await put(`${path}-a`, 'lost', 'test:k:1')
  await put(`${path}-b`, 'secret', 'test:k:1')
  Object.assign(state, { isAway: true, lost: 'lost' })
  const { revision } = await store.list({ prefix: '/registry/' }, never)
  state.isAway = false
  assert.equal(await isNotifiedWithin(6_000, revision), true)
  assert.equal(await isNotifiedWithin(60_000, revision), false, 'the lost one notifies no watch')
  state.lost = ''
  assert.equal(await isNotifiedWithin(6_000, revision), true, 'until it can be opened after all')
  end()
})

const since: ReadonlyArray<[name: string, change: (parts: ReturnType<typeof create>) => Promise<unknown>]> = [
  ['rewritten', ({ put }) => put(path, 'as it is', 'identity')],
  ['deleted', ({ store }) => store.commit({ writes: [{ kind: 'delete', key: path }], guards: [] }, never)],
]
for (const [name, change] of since) {
  for (const sees of ['a watch', 'a reading']) {
    test(`encrypted store: what was ${name} since is not waited for, once ${sees} has shown it`, async () => {
      const parts = create(`${name} ${sees}`)
      const { state, store, put, isNotifiedWithin, end } = parts
      await put(path, 'secret', 'test:k:1')
      state.isAway = true
      const { revision } = await store.list({ prefix: '/registry/' }, never)
      await change(parts)
      if (sees === 'a reading') await store.read([path], never)
      else assert.equal(await isNotifiedWithin(1_000, revision), false)
      state.isAway = false
      assert.equal(await isNotifiedWithin(120_000, revision), false)
      end()
    })
  }
}
