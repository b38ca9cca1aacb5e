import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  type MirroredOrigin,
  mirroredServerId,
  originsOf,
  originsText,
  type ServerStorageVersion,
  type StorageAgreement,
  type StorageVersion,
  validateStorageVersionStatus,
} from '@strata/api'
import {
  behindForMs,
  decideMirroredStorageVersion,
  type MirroredStorageVersionDecision,
  type StorageVersionFacts,
} from './decide-mirrored-storage-version.ts'

const name = 'example.dev.things'
const entry = (serverID: string, version: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  ...{ serverID, process: `${serverID}_1`, encodingVersion: `example.dev/${version}` },
  ...{ decodableVersions: ['example.dev/v1', 'example.dev/v2'], servedVersions: ['example.dev/v1'] },
  ...{ guarantee: 'strict', writeKey: 'identity', readableKeys: ['identity'], encoderFingerprint: 'f' },
  ...more,
})
const record = (
  servers: readonly AgreementEntry[],
  { uid = 'r', epoch = 4, resourceVersion = '100' } = {},
): StorageAgreement => ({
  metadata: { name, uid, resourceVersion },
  spec: { group: 'example.dev', resource: 'things' },
  status: { epoch, encodings: [], servers, conditions: [] },
})
const shownEntry = (origin: string, serverID: string, version: string): ServerStorageVersion => ({
  ...{ apiServerID: mirroredServerId(origin, serverID), encodingVersion: `example.dev/${version}` },
  ...{ decodableVersions: ['example.dev/v1', 'example.dev/v2'], servedVersions: ['example.dev/v1'] },
})
const named = (origin: string, more: Partial<MirroredOrigin> = {}): MirroredOrigin => ({
  ...{ origin, recordUID: 'r', epoch: 4, resourceVersion: '100', ...more },
})
const object = (
  origins: readonly MirroredOrigin[],
  ...storageVersions: readonly ServerStorageVersion[]
): StorageVersion => ({
  metadata: {
    name,
    uid: 'u',
    resourceVersion: '7',
    annotations: { 'strata.dev/origins': originsText(origins) },
  },
  spec: {},
  status: { storageVersions },
})
const both = record([entry('a', 'v1'), entry('b', 'v1')])
const mirrored = object([named('o')], shownEntry('o', 'a', 'v1'), shownEntry('o', 'b', 'v1'))
const foreign: ServerStorageVersion = {
  ...{ apiServerID: 'other-make', encodingVersion: 'v9', decodableVersions: ['v9'] },
}
const decide = (facts: Partial<StorageVersionFacts>): MirroredStorageVersionDecision =>
  decideMirroredStorageVersion({
    ...{ origin: 'o', name, shown: mirrored, record: both, hasLease: () => true, behindMs: 0 },
    now: '2026-01-01T00:00:00Z',
    ...facts,
  })

const none = record([])
const cases: readonly [string, Partial<StorageVersionFacts>, want: string][] = [
  ['nothing is there yet', { shown: undefined }, 'create'],
  ['nothing new', {}, 'nothing'],
  [
    'the order of entries says nothing',
    { shown: object([named('o')], ...[...(mirrored.status.storageVersions ?? [])].reverse()) },
    'nothing',
  ],
  [
    'only the revision of the record is new',
    { record: record(both.status.servers, { resourceVersion: '101' }) },
    'name',
  ],
  ['another epoch', { record: record(both.status.servers, { epoch: 5, resourceVersion: '101' }) }, 'name'],
  ['the record is named, and its entries are not shown yet', { shown: object([named('o')]) }, 'show'],
  [
    'the version of a server',
    { shown: object([named('o')], shownEntry('o', 'a', 'v2'), shownEntry('o', 'b', 'v1')) },
    'show',
  ],
  ['a server has gone', { record: record([entry('a', 'v1')]) }, 'show'],
  ['the collector removed an entry', { shown: object([named('o')], shownEntry('o', 'a', 'v1')) }, 'show'],
  ['a server without a mirrored Lease is not shown', { hasLease: (id) => id === 'a' }, 'show'],
  [
    'an annotation that is garbage',
    {
      shown: { ...mirrored, metadata: { ...mirrored.metadata, annotations: { 'strata.dev/origins': '{' } } },
    },
    'name',
  ],

  // Never back to an older state of the same record (interleavings 1 and 5).
  [
    'the aggregator shows a later revision',
    { shown: object([named('o', { resourceVersion: '101' })]) },
    'wait',
  ],
  ['… of more digits', { shown: object([named('o', { resourceVersion: '1000' })]) }, 'wait'],
  ['… a later epoch', { shown: object([named('o', { epoch: 5, resourceVersion: '99' })]) }, 'wait'],
  ['… and the record has no entry', { shown: object([named('o', { epoch: 5 })]), record: none }, 'wait'],
  [
    '… and still does after a while: the store was restored',
    { shown: object([named('o', { epoch: 5 })]), behindMs: behindForMs },
    'name',
  ],
  [
    'after a restore that was noticed, the epoch counts and not the revision',
    {
      shown: object([named('o', { resourceVersion: '9000' })]),
      record: record(both.status.servers, { epoch: 5004, resourceVersion: '120' }),
    },
    'name',
  ],
  [
    'another uid is another record, whatever its epoch',
    { shown: object([named('o', { recordUID: 'lost', epoch: 99 })]) },
    'name',
  ],

  // Removal: entries first, then the name, then the object.
  ['no entry is left', { record: none }, 'delete'],
  ['the record is gone', { record: undefined }, 'delete'],
  ['no server has a Lease any more', { hasLease: () => false }, 'delete'],
  [
    '… beside an entry of another make',
    { record: none, shown: object([named('o')], shownEntry('o', 'a', 'v1'), foreign) },
    'show',
  ],
  ['… and then the name', { record: none, shown: object([named('o')], foreign) }, 'name'],
  [
    '… beside another origin that has no entry yet',
    { record: none, shown: object([named('o'), named('p')], shownEntry('o', 'a', 'v1')) },
    'show',
  ],
  [
    'nothing of this origin is shown',
    { record: none, shown: object([named('p')], shownEntry('p', 'a', 'v1')) },
    'nothing',
  ],
  ['an object without entries and origins is its client’s', { record: none, shown: object([]) }, 'nothing'],
  ['nothing is there, and nothing is wanted', { record: none, shown: undefined }, 'nothing'],
]
for (const [what, facts, want] of cases) {
  test(`mirrored StorageVersion: ${what}: ${want}`, () => assert.equal(decide(facts).do, want))
}

/** Takes every step, as the aggregator would store it. */
function settle(
  shown: StorageVersion | undefined,
  facts: Partial<StorageVersionFacts> = {},
): StorageVersion | undefined {
  let next = shown
  for (let step = 0; step < 10; step++) {
    const decision = decide({ ...facts, shown: next })
    switch (decision.do) {
      case 'nothing':
      case 'wait':
        return next
      case 'delete':
        next = undefined
        break
      case 'create':
        next = { ...decision.object, status: {} }
        break
      case 'name':
        next = { ...decision.object, status: next?.status ?? {} }
        break
      case 'show':
        assert.deepEqual(validateStorageVersionStatus(decision.object.status), [])
        next = { ...decision.object, metadata: next?.metadata ?? {} }
    }
  }
  assert.fail('does not come to rest')
}

test('mirrored StorageVersion: entries, common version and condition, by upstream’s rules', () => {
  const shown = settle(undefined)
  assert.deepEqual(shown?.status.storageVersions, [
    ...[shownEntry('o', 'a', 'v1'), shownEntry('o', 'b', 'v1')].sort((x, y) =>
      x.apiServerID < y.apiServerID ? -1 : 1,
    ),
  ])
  assert.equal(shown?.status.commonEncodingVersion, 'example.dev/v1')
  assert.deepEqual(
    shown?.status.conditions?.map(({ type, status }) => [type, status]),
    [['AllEncodingVersionsEqual', 'True']],
  )
  assert.deepEqual(shown && originsOf(shown), [named('o')])
})

test('mirrored StorageVersion: two origins stand side by side, in whichever order they come', () => {
  const other = {
    origin: 'p',
    record: record([entry('a', 'v2')], { uid: 'q', epoch: 1, resourceVersion: '3' }),
  }
  const one = settle(settle(undefined), other)
  const two = settle(settle(undefined, other))
  assert.deepEqual(one?.status.storageVersions, two?.status.storageVersions)
  assert.equal(one?.status.storageVersions?.length, 3)
  assert.equal(one?.status.commonEncodingVersion, undefined, 'they differ')
  assert.deepEqual(one && originsOf(one).map(({ origin, recordUID }) => [origin, recordUID]), [
    ['o', 'r'],
    ['p', 'q'],
  ])
  // Each removes its own part only, and the last one the object.
  const left = settle(one, { record: undefined })
  assert.deepEqual(left && originsOf(left).map(({ origin }) => origin), ['p'])
  assert.deepEqual(left?.status.storageVersions, [shownEntry('p', 'a', 'v2')])
  assert.equal(left?.status.commonEncodingVersion, 'example.dev/v2')
  assert.equal(settle(left, { ...other, record: undefined }), undefined)
})

test('mirrored StorageVersion: entries of another make stay', () => {
  const shown = settle(object([], foreign))
  assert.equal(shown?.status.storageVersions?.length, 3)
  assert.deepEqual(settle(shown, { record: undefined })?.status.storageVersions, [foreign])
})

test('mirrored StorageVersion: a server that cannot write the selected version is shown as in its own fleet', () => {
  const refusing = entry('a', 'v3', { preferredVersion: 'example.dev/v1', refusesWrites: true })
  const shown = settle(undefined, { record: record([refusing]) })
  assert.equal(shown?.status.storageVersions?.[0]?.encodingVersion, 'example.dev/v1')
})
