import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { decideStored, isReadableByRecord } from './decide-stored.ts'

const entry = (encodingVersion: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  serverID: 'a',
  process: 'a_1',
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  ...more,
})
const record = (
  versions: readonly string[] | undefined,
  servers: readonly AgreementEntry[] = [],
  { fenced = true, encodings = [] as string[], unseenProcesses = [] as string[] } = {},
): AgreementStatus => ({
  epoch: 1,
  encodings,
  servers,
  unseenProcesses,
  ...(versions
    ? {
        persisted: versions.map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 1 })),
      }
    : {}),
  conditions: [
    {
      type: 'Fenced',
      status: fenced ? 'True' : 'False',
      lastTransitionTime: '',
      reason: '',
      message: '',
    },
  ],
})

type Row = [
  name: string,
  status: AgreementStatus | undefined,
  read: readonly string[] | undefined,
  stored: string[],
]
const rows: readonly Row[] = [
  ['without a record and a read it is unknown', undefined, undefined, ['Unknown']],
  ['without a record, what was read', undefined, ['v2', 'v1'], ['v1', 'v2']],
  ['without a reading, what the record remembers', record(['v1', 'v2']), undefined, ['v1', 'v2']],
  ['a record that is older than the memory', record(undefined), undefined, ['Unknown']],
  ['what was migrated is not there any more', record(['v1', 'v2'], [entry('v2')]), ['v2'], ['v2']],
  ['nothing is stored, and no server writes', record(['v1', 'v2']), [], []],
  [
    'who writes now may have written after the reading',
    record(['v1', 'v2'], [entry('v2')]),
    ['v1'],
    ['v1', 'v2'],
  ],
  ['who refuses writes does not', record(['v1'], [entry('v2', { refusesWrites: true })]), ['v1'], ['v1']],
  ['a read ends the unknown', record(['Unknown', 'v1'], [entry('v1')]), ['v1'], ['v1']],
  [
    'but not while a server writes without recording it',
    record(['Unknown', 'v1'], [entry('v1')], { encodings: ['v1 identity f strict', 'unrecorded'] }),
    ['v1'],
    ['Unknown', 'v1'],
  ],
  [
    'nor while an unseen server does',
    record(['Unknown', 'v1'], [entry('v1')], { unseenProcesses: ['x_1'] }),
    ['v1'],
    ['Unknown', 'v1'],
  ],
  [
    'without a guard, a former writer may write again',
    record(['Unknown', 'v1', 'v2'], [entry('v2')], { fenced: false }),
    ['v2'],
    ['v1', 'v2'],
  ],
]
for (const [name, status, read, stored] of rows) {
  test(`what may be stored: ${name}`, () => assert.deepEqual(decideStored(status, read), stored))
}

const enough: ReadonlyArray<[status: AgreementStatus | undefined, readable: string[], isEnough: boolean]> = [
  [record(['v1']), ['v1', 'v2'], true],
  [record([]), ['v1'], true],
  [record(['v1', 'v2']), ['v1'], false],
  [record(['Unknown', 'v1']), ['v1'], false],
  [record(undefined), ['v1'], false],
  [undefined, ['v1'], false],
]
for (const [status, readable, isEnough] of enough) {
  test(`what may be stored: ${status?.persisted?.map((each) => each.encodingVersion) ?? 'unsaid'}, and ${readable} can be read: nothing has to be looked at: ${isEnough}`, () =>
    assert.equal(isReadableByRecord(status, readable), isEnough))
}
