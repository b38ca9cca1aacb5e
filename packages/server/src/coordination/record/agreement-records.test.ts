import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, StorageVersion } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../../store/homes.ts'
import { agreementKey, storageVersionKey, storageVersionKind } from '../frozen-kinds.ts'
import { AgreementRecords } from './agreement-records.ts'
import { projectStorageVersion } from './decide-agreement.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const key = storageVersionKey(things)
const entry = (serverID: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion: 'v1',
  decodableVersions: ['v1'],
  servedVersions: [],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})
const object = (metadata: object, status: StorageVersion['status']): Uint8Array =>
  storageVersionKind.encode({
    metadata: { name: 'example.dev.things', uid: 'u', ...metadata },
    spec: {},
    status,
  })
const lie = {
  storageVersions: [{ apiServerID: 'liar', encodingVersion: 'v2', decodableVersions: ['v2'] }],
  commonEncodingVersion: 'v2',
}

/** `meanwhile` happens once, between the look at the store and the commit that follows from it. */
function setUp(meanwhile: (data: MemoryData) => void = () => {}) {
  const simulation = new Simulation('agreement records')
  const data = new MemoryData()
  const memory = createMemoryStore(data)
  let commits = 0
  const store: Store = {
    ...memory,
    read: (...asked) => memory.read(...asked),
    list: (...asked) => memory.list(...asked),
    commit: (...asked) => {
      if (commits++ === 0) meanwhile(data)
      return memory.commit(...asked)
    },
  }
  const records = new AgreementRecords({ store, world: simulation.process('a') })
  const register = (...entries: AgreementEntry[]) =>
    simulation.settle(records.change(things, () => ({ entries, guards: [] }), never))
  const put = (value: Uint8Array): number =>
    data.commit({ writes: [{ kind: 'put', key, value }], guards: [] }).revision
  const shown = async (): Promise<StorageVersion | undefined> => {
    const { entries } = await memory.read([key], never)
    return entries[0] && storageVersionKind.decode(entries[0])
  }
  return { register, put, shown, commits: () => commits, memory }
}

test('records: a client’s object is the servers’ from their first entry on', async () => {
  const { register, put, shown } = setUp()
  put(object({ labels: { a: 'b' }, finalizers: ['a.dev/b'] }, lie))
  await register(entry('s1'))
  const { metadata, status } = (await shown()) ?? {}
  assert.deepEqual([metadata?.uid, metadata?.labels, metadata?.finalizers], ['u', { a: 'b' }, undefined])
  assert.equal(status?.commonEncodingVersion, 'v1')
  assert.deepEqual(
    status?.storageVersions?.map(({ apiServerID }) => apiServerID),
    ['s1'],
  )
})

// Otherwise: the object already shows what the record is about to say, so nothing is to be written; a client changes it;
// the record is stored, and what shows it says something else.
test('records: an object that a client changes after the look is looked at again', async () => {
  const same = projectStorageVersion([entry('s1')], undefined, '1970-01-01T00:00:00Z')
  const { register, put, shown, commits } = setUp((data) => {
    data.commit({
      writes: [{ kind: 'put', key, value: object({ labels: { late: 'yes' } }, lie) }],
      guards: [],
    })
  })
  put(object({}, same))
  await register(entry('s1'))
  const { metadata, status } = (await shown()) ?? {}
  assert.equal(commits(), 2)
  assert.deepEqual(metadata?.labels, { late: 'yes' }, 'what the client may write is not lost')
  assert.equal(status?.commonEncodingVersion, 'v1')
})

test('records: where both say it already nothing is sent, also of a resource that is served in no version', async () => {
  const { register, commits } = setUp()
  await register(entry('s1'))
  assert.equal((await register(entry('s1'))).outcome, 'unchanged')
  assert.equal(commits(), 1)
})

test('records: a wrong projection is repaired under the record as it stands', async () => {
  const { register, put, shown, memory } = setUp()
  await register(entry('s1'))
  const fence = (await memory.read([agreementKey(things)], never)).entries[0]?.revision
  put(object({}, lie))
  assert.equal((await register(entry('s1'))).outcome, 'stored')
  assert.equal((await shown())?.status.commonEncodingVersion, 'v1')
  assert.equal((await memory.read([agreementKey(things)], never)).entries[0]?.revision, fence)
})

test('records: with the last entry the projection goes; what a client writes afterwards stays', async () => {
  const { register, put, shown } = setUp()
  await register(entry('s1'))
  await register()
  assert.equal(await shown(), undefined)
  put(object({}, lie))
  await register()
  assert.equal((await shown())?.status.commonEncodingVersion, 'v2')
})

test('records P6: lost races are counted: after thirty of them it is said so, and not tried for ever', async () => {
  const simulation = new Simulation('lost races')
  const data = new MemoryData()
  const memory = createMemoryStore(data)
  let commits = 0
  const store: Store = {
    ...memory,
    read: (...asked) => memory.read(...asked),
    list: (...asked) => memory.list(...asked),
    commit: (...asked) => {
      commits++
      data.commit({ writes: [{ kind: 'put', key, value: object({}, lie) }], guards: [] })
      return memory.commit(...asked)
    },
  }
  const records = new AgreementRecords({ store, world: simulation.process('a') })
  const change = records.change(things, () => ({ entries: [entry('a')], guards: [] }), never)
  await assert.rejects(simulation.settle(change), /other servers changed it 30 times meanwhile/)
  assert.equal(commits, 30)
  assert.ok(simulation.nowMs > 1_000 && simulation.nowMs < 10_000, 'with pauses that grow')
})
