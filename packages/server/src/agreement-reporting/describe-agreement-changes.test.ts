import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, RecordingGap, StorageAgreement } from '@strata/api'
import { bundleChanges } from './bundle-agreement-changes.ts'
import {
  type AgreementChange,
  agreementState,
  describeChanges,
  describeProblems,
} from './describe-agreement-changes.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const entry = (
  serverID: string,
  encodingVersion: string,
  more: Partial<AgreementEntry> = {},
): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: [v1, v2],
  servedVersions: [v1],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  ...more,
})
const record = (status: Partial<AgreementStatus>): StorageAgreement => ({
  metadata: { name: 'example.dev.things', uid: 'u' },
  spec: { group: 'example.dev', resource: 'things' },
  status: { epoch: 1, encodings: [], servers: [entry('a', v1)], conditions: [], ...status },
})
const onV1 = record({ agreedVersion: v1, agreedSince: '00:01' })
const torn = record({
  epoch: 2,
  conditions: [
    {
      type: 'AllEncodingVersionsEqual',
      status: 'False',
      lastTransitionTime: '00:02',
      reason: 'CommonEncodingVersionUnset',
      message: 'a encodes v1, b encodes v2',
    },
  ],
})
const onV2 = record({ epoch: 3, agreedVersion: v2, agreedSince: '00:03' })
const gap: RecordingGap = {
  epoch: 5,
  at: '00:05',
  reason: 'ServersDoNotRecord',
  message: 'StorageVersionAPI was off',
}

type Row = [name: string, before: StorageAgreement, after: StorageAgreement, want: readonly string[]]
const cases: readonly Row[] = [
  [
    'who joins with the same encoding is no change',
    onV1,
    record({ ...onV1.status, servers: [entry('a', v1), entry('b', v1)] }),
    [],
  ],
  [
    'agreement is lost',
    onV1,
    torn,
    [
      'Warning StorageVersionDisagreed things.example.dev: a encodes v1, b encodes v2; before: example.dev/v1',
    ],
  ],
  [
    'agreement is reached',
    torn,
    onV2,
    ['Normal StorageVersionAgreed things.example.dev: all servers write example.dev/v2'],
  ],
  [
    'agreement moves, and what lay between was not seen',
    onV1,
    onV2,
    [
      'Normal StorageVersionAgreed things.example.dev: all servers write example.dev/v2; before: example.dev/v1',
    ],
  ],
  [
    'a selection moves',
    record({ ...onV1.status, selectedVersion: v1 }),
    record({ ...onV1.status, selectedVersion: v2 }),
    [
      'Normal StorageVersionSelected things.example.dev: the servers have selected example.dev/v2; before: example.dev/v1',
    ],
  ],
  [
    'a gap is recorded',
    onV1,
    record({ ...onV1.status, recordingGap: gap }),
    [
      'Warning RecordingGap things.example.dev: objects may have been written without being recorded: StorageVersionAPI was off',
    ],
  ],
  [
    'a gap that is known is no change',
    record({ recordingGap: gap }),
    record({ recordingGap: gap, epoch: 6 }),
    [],
  ],
  [
    'a server refuses writes',
    record({ selectedVersion: v2 }),
    record({ selectedVersion: v2, servers: [entry('c', v2, { refusesWrites: true })] }),
    [
      'Warning WritesRefused things.example.dev: c refuses writes: it cannot write example.dev/v2, which is selected',
    ],
  ],
]
for (const [name, before, after, want] of cases) {
  test(`changes: ${name}`, () => {
    const changes = describeChanges(agreementState(before), agreementState(after))
    assert.deepEqual(
      changes.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
      want,
    )
  })
}

const changesOf = (count: number): AgreementChange[] =>
  Array.from({ length: count }, (_, index) => ({
    reason: 'RecordingGap',
    type: 'Warning',
    key: 'RecordingGap 5',
    message: `things${index}: something`,
    about: { name: `example.dev.things${index}`, uid: `u${index}`, resource: `things${index}` },
  }))

test('changes: one Event each, named alike by every server, and otherwise for another change', () => {
  const [one] = bundleChanges(changesOf(1), '00:06', 'a')
  const [again] = bundleChanges(changesOf(1), '00:09', 'b')
  assert.equal(one?.metadata.name, again?.metadata.name)
  const [other] = bundleChanges(
    changesOf(1).map((each) => ({ ...each, key: 'RecordingGap 6' })),
    '00:06',
    'a',
  )
  assert.notEqual(one?.metadata.name, other?.metadata.name)
  assert.match(one?.metadata.name ?? '', /^example\.dev\.things0\.[0-9a-f]{16}$/)
  assert.equal(bundleChanges(changesOf(10), '', 'a').length, 10)
})

test('changes: a hundred of a kind are one Event, in whichever order they came', () => {
  const [one, ...none] = bundleChanges(changesOf(100), '', 'a')
  assert.deepEqual(none, [])
  assert.equal(one?.count, 100)
  assert.match(
    one?.message ?? '',
    /^100 resources, first things0: something \(things0, things1, .* and 80 more\)$/,
  )
  assert.equal(bundleChanges(changesOf(100).reverse(), '', 'b')[0]?.metadata.name, one?.metadata.name)
})

test('changes: an initial problem has the same key as the change to it', () => {
  const seen = describeChanges(agreementState(onV1), agreementState(torn))
  const found = describeProblems(agreementState(torn))
  assert.deepEqual(
    found.map(({ key, type }) => [key, type]),
    seen.map(({ key, type }) => [key, type]),
  )
  assert.deepEqual(
    found.map(({ message }) => message),
    ['things.example.dev: a encodes v1, b encodes v2'],
  )
  assert.deepEqual(describeProblems(agreementState(onV1)), [])
  const refusing = record({ ...onV1.status, servers: [entry('a', v1, { refusesWrites: true })] })
  assert.deepEqual(
    describeProblems(agreementState(refusing)).map(({ reason }) => reason),
    ['WritesRefused'],
  )
})
