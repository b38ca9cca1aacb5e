import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AgreementEntry,
  AgreementStatus,
  GroupResource,
  StorageAgreement,
  StorageVersion,
} from '@strata/api'
import {
  agreementKey,
  agreementKind,
  storageVersionKey,
  storageVersionKind,
} from '@strata/server/coordination'
import { writerMark } from '@strata/server/history-for-test'
import type { Change, Key, Write } from '@strata/server/store'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import type { HistoryFindings } from './findings.ts'
import { shownFor } from './record-for-test.ts'
import { replayHistory } from './replay-history.ts'

const gadgets: GroupResource = { group: 'example.dev', resource: 'gadgets' }
const [v1, v2] = ['example.dev/v1', 'example.dev/v2']
const { signal } = new AbortController()

const entry = (serverID: string, encodingVersion: string, process = `${serverID}-1`): AgreementEntry => ({
  ...{ serverID, process, encodingVersion, decodableVersions: [v1, v2], servedVersions: [v1, v2] },
  ...{ guarantee: 'strict', writeKey: 'identity', readableKeys: [], encoderFingerprint: 'f' },
})

/** A record and its StorageVersion, as servers write them: together. */
function record(
  servers: readonly AgreementEntry[],
  more: Partial<AgreementStatus> = {},
  storagePrefix?: string,
): Write[] {
  const status: AgreementStatus = { epoch: 1, encodings: [], servers, conditions: [], ...more }
  const agreement: StorageAgreement = {
    metadata: { name: 'example.dev.gadgets' },
    spec: { ...gadgets, ...(storagePrefix === undefined ? {} : { storagePrefix }) },
    status,
  }
  const shown: StorageVersion = { metadata: agreement.metadata, spec: {}, status: shownFor(servers) }
  return [
    { kind: 'put', key: agreementKey(gadgets), value: agreementKind.encode(agreement) },
    { kind: 'put', key: storageVersionKey(gadgets), value: storageVersionKind.encode(shown) },
  ]
}

const object = (name: string, apiVersion: string): Write => ({
  kind: 'put',
  key: `/registry/example.dev/gadgets/default/${name}`,
  value: Buffer.from(JSON.stringify({ kind: 'Gadget', apiVersion, metadata: { name } })),
})
const sealed = (name: string, key: string): Write => ({
  kind: 'put',
  key: object(name, v1).key,
  value: Buffer.from(`k8s:enc:${key}:\u0001\u0002`),
})
const write = (name: string, apiVersion: string, serverID: string, process = `${serverID}-1`): Write[] => {
  const put = object(name, apiVersion)
  return [writerMark({ serverID, process }, put.key), put]
}
const other = (key: Key): Write => ({ kind: 'put', key, value: Buffer.from('{}') })

interface Case {
  readonly commits: readonly (readonly Write[])[]
  /** Reasons of all exceptions. */
  readonly exceptions: readonly string[]
  readonly also?: Partial<HistoryFindings>
}

const both = [entry('a', v1), entry('b', v2)]
const cases: Record<string, Case> = {
  'each in the version of its writer': {
    commits: [record(both), write('one', v1, 'a'), write('one', v2, 'b'), write('two', v1, 'a')],
    exceptions: [],
    also: { puts: 3, marked: 3, ambiguous: 0 },
  },
  'each in the version of the other one': {
    commits: [record(both), write('one', v2, 'a'), write('one', v1, 'b')],
    exceptions: ['OtherVersion', 'OtherVersion'],
  },
  'one mark speaks for all puts of its commit': {
    commits: [
      record(both),
      [
        writerMark(
          { serverID: 'a', process: 'a-1' },
          ...[object('one', v1), object('two', v1), object('three', v1)].map(({ key }) => key),
        ),
        object('one', v1),
        object('two', v2),
        object('three', v1),
      ],
      [object('three', v2)],
    ],
    exceptions: ['OtherVersion'],
    also: { puts: 4, marked: 3, ambiguous: 1 },
  },
  'a mark speaks for its own put only': {
    commits: [record(both), write('one', v1, 'a'), [object('one', v2)], [object('two', v1)]],
    exceptions: [],
    also: { puts: 3, marked: 1, ambiguous: 2 },
  },
  'what stands later does not count': {
    commits: [write('one', v1, 'a'), record(both)],
    exceptions: ['NothingRecorded'],
  },
  'what stood earlier does not count': {
    commits: [record(both), record([entry('a', v2)]), write('one', v1, 'a')],
    exceptions: ['OtherVersion'],
  },
  'a server that was started again': {
    commits: [record([entry('a', v1, 'a-2')]), write('one', v1, 'a', 'a-1'), write('one', v1, 'a', 'a-2')],
    exceptions: ['OtherProcess'],
  },
  'the record is gone': {
    commits: [record(both), [{ kind: 'delete', key: agreementKey(gadgets) }], write('one', v1, 'a')],
    exceptions: ['RecordDeleted', 'NothingRecorded'],
  },
  'a record is deleted and made anew': {
    commits: [
      record(both, { epoch: 7 }),
      [{ kind: 'delete', key: agreementKey(gadgets) }],
      record(both, { epoch: 1 }),
      record(both, { epoch: 2 }),
    ],
    exceptions: ['RecordDeleted', 'EpochWentBack'],
    also: { puts: 0 },
  },
  'the epoch goes back': {
    commits: [record(both, { epoch: 2 }), record(both, { epoch: 1 })],
    exceptions: ['EpochWentBack'],
    also: { puts: 0 },
  },
  'values under keys that were not given are not seen, and no exception': {
    commits: [
      record(both),
      [sealed('one', 'aesgcm:v1:two'), sealed('two', 'aescbc:v1:one'), sealed('four', 'identity:v1:plain')],
      [sealed('one', 'aesgcm:v1:two'), object('three', v1)],
    ],
    exceptions: [],
    also: {
      ...{ puts: 5, ambiguous: 1, unseen: 4 },
      missingKeys: ['identity', 'k8s:enc:aescbc:v1:one:', 'k8s:enc:aesgcm:v1:two:'],
    },
  },
  'kinds with one version for ever': {
    commits: [[other('/registry/leases/default/one')], [other('/registry/namespaces/one')]],
    exceptions: [],
    also: { puts: 0, exempt: 2 },
  },
  'keys of no resource': {
    commits: [[other('/registry/strata.dev/ticks/a')], [other('/registry/compact_rev_key')], [other('else')]],
    exceptions: [],
    also: { puts: 0, exempt: 0 },
  },
  'a kind that is stored elsewhere, and was before there was a record': {
    commits: [
      [{ ...object('one', v1), key: '/registry/elsewhere/default/one' }],
      record(both, {}, 'elsewhere'),
      [{ ...object('two', v1), key: '/registry/elsewhere/default/two' }],
    ],
    exceptions: ['NothingRecorded'],
    also: { puts: 2, ambiguous: 1 },
  },
  deletions: {
    commits: [record(both), write('one', v1, 'a'), [{ kind: 'delete', key: object('one', v1).key }]],
    exceptions: [],
    also: { puts: 1 },
  },
}

for (const revisions of ['shared', 'each'] as const) {
  for (const [name, { commits, exceptions, also }] of Object.entries(cases)) {
    test(`audit of a history with ${revisions} revisions: ${name}`, async () => {
      const store = createMemoryStore(new MemoryData({ revisions }))
      for (const writes of commits) await store.commit({ writes, guards: [] }, signal)
      const found = await replayHistory(store, {}, signal)
      assert.deepEqual(
        found.exceptionList.map(({ reason }) => reason),
        exceptions,
      )
      assert.deepEqual({ ...found, ...also, whole: true, exceptions: exceptions.length }, found)
    })
  }
}

async function filled(): Promise<{ store: ReturnType<typeof createMemoryStore>; revisions: number[] }> {
  const store = createMemoryStore(new MemoryData())
  const revisions: number[] = []
  for (const writes of [record(both), write('one', v2, 'a'), write('two', v2, 'a'), write('one', v1, 'a')]) {
    revisions.push((await store.commit({ writes, guards: [] }, signal)).revision)
  }
  return { store, revisions }
}

test('audit of a history: the findings of a resource', async () => {
  const { store, revisions } = await filled()
  const { resources, exceptionList } = await replayHistory(store, { limit: 1 }, signal)
  assert.deepEqual(resources, [
    {
      resource: 'gadgets.example.dev',
      puts: 3,
      storedVersions: { [v1]: 1, [v2]: 2 },
      marked: 3,
      ambiguous: 0,
      unseen: 0,
      exceptions: 2,
      fromRevision: revisions[1],
      toRevision: revisions[3],
      recordChanges: 1,
      recordingGaps: 0,
    },
  ])
  // All are counted, as many as requested are listed.
  assert.deepEqual(exceptionList, [
    {
      resource: 'gadgets.example.dev',
      key: '/registry/example.dev/gadgets/default/one',
      revision: revisions[1],
      reason: 'OtherVersion',
      message: 'is in example.dev/v2; the entry of its writer a said example.dev/v1',
      guarantee: 'strict',
      writer: { serverID: 'a', process: 'a-1' },
    },
  ])
})

test('audit of a history: a later beginning knows the records that stood then', async () => {
  const { store, revisions } = await filled()
  const found = await replayHistory(store, { sinceRevision: revisions[1] ?? 0 }, signal)
  assert.deepEqual(
    [found.afterRevision, found.puts, found.exceptions, found.whole],
    [revisions[1], 2, 1, true],
  )
  await assert.rejects(replayHistory(store, { sinceRevision: 99 }, signal), { name: 'RevisionInFuture' })
})

test('audit of a history: compacted history is not seen, and the findings say so', async () => {
  const { store, revisions } = await filled()
  const compacted = revisions[2] ?? 0
  await store.compact(compacted, signal)
  const found = await replayHistory(store, {}, signal)
  assert.deepEqual(
    [found.afterRevision, found.compactedRevision, found.whole, found.puts, found.exceptions],
    [compacted, compacted, false, 1, 0],
  )
  // If only the remaining history is requested, the findings are complete.
  assert.equal((await replayHistory(store, { sinceRevision: compacted }, signal)).whole, true)
})

test('audit of a history: compaction overtakes the reader', async () => {
  const { store, revisions } = await filled()
  let batches = 0
  const overtaken: Pick<typeof store, 'list' | 'currentRevision' | 'watch' | 'close'> = {
    list: (...asked) => store.list(...asked),
    currentRevision: (...asked) => store.currentRevision(...asked),
    close: () => store.close(),
    async *watch(prefix, after, ended) {
      for await (const { changes } of store.watch(prefix, after, ended)) {
        const first = changes.filter(({ revision }: Change) => revision === changes[0]?.revision)
        batches++
        yield { revision: first[0]?.revision ?? 0, changes: first }
        await store.compact(revisions[2] ?? 0, signal)
        yield* store.watch(prefix, first[0]?.revision ?? 0, ended)
      }
    },
  }
  const found = await replayHistory(overtaken, {}, signal)
  assert.equal(batches, 1)
  assert.deepEqual(
    [found.whole, found.compactedRevision, found.toRevision],
    [false, revisions[2], revisions[0]],
  )
})
