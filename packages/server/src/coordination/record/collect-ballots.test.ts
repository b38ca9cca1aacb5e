import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  recordsWritesAnnotation,
} from '@strata/api'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Commit, createMemoryStore, MemoryData, type Store } from '../../store/homes.ts'
import type { WatchCache } from '../../watch-cache/index.ts'
import {
  agreementKey,
  agreementKind,
  agreementPrefix,
  ballotKey,
  ballotKind,
  identityLeaseKey,
  leaseKind,
} from '../frozen-kinds.ts'
import { type AgreementChange, AgreementRecords } from './agreement-records.ts'
import { collectBallots } from './collect-ballots.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things', storagePrefix: 'example.dev/things' }
const objectKey = '/registry/example.dev/things/default/one'
const v1 = 'example.dev/v1'

const voter = (serverID: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion: v1,
  decodableVersions: [v1],
  servedVersions: [],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  preferredVersion: v1,
  encoders: [{ encodingVersion: v1, fingerprint: 'f' }],
})

/** `onList` happens whenever it is looked whether anything is stored of things, after the look. */
function setUp(onList: (scene: { say(...entries: AgreementEntry[]): Promise<unknown> }) => Promise<void>) {
  const simulation = new Simulation('ballots')
  const world = simulation.process('p')
  const data = new MemoryData()
  const commits: Commit[] = []
  const memory = createMemoryStore(data)
  const direct = new AgreementRecords({ store: memory, world })
  const say = (...entries: AgreementEntry[]) => direct.change(things, () => ({ entries, guards: [] }), never)
  const store: Store = {
    ...memory,
    list: async (page, signal) => {
      const found = await memory.list(page, signal)
      if (page.prefix.includes('things')) await onList({ say })
      return found
    },
    commit: (commit, signal) => {
      commits.push(commit)
      return memory.commit(commit, signal)
    },
  }
  const records = new AgreementRecords({ store, world })
  const put = (key: string, value: Uint8Array): void => {
    data.commit({ writes: [{ kind: 'put', key, value }], guards: [] })
  }
  return {
    ...{ data, commits, put },
    say: (...entries: AgreementEntry[]) => simulation.settle(say(...entries)),
    register: (...entries: AgreementEntry[]) =>
      simulation.settle(records.change(things, () => ({ entries, guards: [] }), never)),
    change: (wanted: AgreementChange) => simulation.settle(direct.change(things, () => wanted, never)),
    collect: () => {
      const { entries } = data.list({ prefix: agreementPrefix })
      const known = { range: () => ({ count: entries.length, at: (index: number) => entries[index] }) }
      const cache = { collection: () => known } as unknown as WatchCache
      return simulation.settle(collectBallots({ cache, store, records, log: silentLog }, never))
    },
    selected: (): readonly [record: string | undefined, ballot: string | undefined] => {
      const [record, ballot] = data.read([agreementKey(things), ballotKey(things)]).entries
      return [
        record && agreementKind.decode(record).status.selectedVersion,
        ballot && ballotKind.decode(ballot).selectedVersion,
      ]
    },
  }
}

test('ballots: record and ballot are one transaction, each under a guard', async () => {
  const { register, commits, selected } = setUp(async () => {})
  await register(voter('a'))
  assert.deepEqual(selected(), [v1, v1])
  assert.equal(commits.length, 1)
  const keys = [agreementKey(things), ballotKey(things)]
  for (const key of keys) {
    assert.ok(commits[0]?.writes.some((each) => each.key === key))
    assert.ok(commits[0]?.guards.some((each) => each.key === key))
  }
})

test('ballots: one that says something else than the record is put right, and the fence stands', async () => {
  const { register, put, selected, data } = setUp(async () => {})
  await register(voter('a'))
  const fence = (): number | undefined => data.read([agreementKey(things)]).entries[0]?.revision
  const before = fence()
  const lie = { metadata: { name: 'example.dev.things' }, selectedVersion: 'v9', candidateVersions: [] }
  put(ballotKey(things), ballotKind.encode(lie))
  await register(voter('a'))
  assert.deepEqual(selected(), [v1, v1])
  assert.equal(fence(), before)
})

const stays: readonly [
  name: string,
  entries: AgreementEntry[],
  stored: boolean,
  after: typeof v1 | undefined,
][] = [
  ['somebody serves it', [voter('a')], false, v1],
  ['nobody does, and something is stored', [], true, v1],
  ['nobody does, and nothing is stored', [], false, undefined],
]
for (const [name, entries, stored, after] of stays) {
  test(`ballots: ${name}: it ${after ? 'stays' : 'goes'}`, async () => {
    const { say, put, collect, selected } = setUp(async () => {})
    await say(voter('a'))
    await say(...entries)
    if (stored) put(objectKey, Buffer.from('{}'))
    await collect()
    assert.deepEqual(selected(), [after, after])
  })
}

test('ballots: where it is not known where objects would be, nothing is forgotten', async () => {
  const { say, put, collect, selected, data } = setUp(async () => {})
  await say(voter('a'))
  await say()
  const [entry] = data.read([agreementKey(things)]).entries
  assert.ok(entry)
  const { spec, ...record } = agreementKind.decode(entry)
  const { storagePrefix: _, ...rest } = spec
  put(agreementKey(things), agreementKind.encode({ ...record, spec: rest }))
  await collect()
  assert.deepEqual(selected(), [v1, v1])
})

// Otherwise: nothing is stored; a server registers, stores something in v1, and leaves; and the vote about what is stored
// now begins anew.
test('ballots: a server that comes, writes and leaves after the look is not overlooked', async () => {
  let came = false
  const scene = setUp(async ({ say }) => {
    if (came) return
    came = true
    await say(voter('b'))
    scene.put(objectKey, Buffer.from('{}'))
    await say()
  })
  await scene.say(voter('a'))
  await scene.say()
  await scene.collect()
  assert.ok(came)
  assert.deepEqual(scene.selected(), [v1, v1])
})

// Otherwise: nothing is stored; a server that does not record lives, has no entry, and stores something in v1 while the
// record still stands as it was; and the next release selects v2, and cannot read it.
for (const [name, isSaid] of [
  ['one that does not record serves it', true],
  ['one that does not record has come, and the record does not say so yet', false],
] as const) {
  test(`ballots: ${name}: it stays`, async () => {
    const { say, put, collect, selected } = setUp(async () => {})
    await say(voter('a'))
    await say()
    const metadata = {
      ...{ name: 'u', namespace: identityNamespace },
      labels: { [identityLabel]: identityLabelValue },
      annotations: { [recordsWritesAnnotation]: 'false' },
    }
    put(identityLeaseKey('u'), leaseKind.encode({ metadata, spec: { holderIdentity: 'u_1' } }))
    if (isSaid) await say()
    await collect()
    assert.deepEqual(selected(), [v1, v1])
  })
}

test('ballots: one that nobody sees serves it: it stays', async () => {
  const scene = setUp(async () => {})
  await scene.say(voter('a'))
  await scene.change({ entries: [], guards: [], unseen: ['u_1'] })
  await scene.collect()
  assert.deepEqual(scene.selected(), [v1, v1])
})
