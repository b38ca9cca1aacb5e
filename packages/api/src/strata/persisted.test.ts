import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isAllCurrent,
  type PersistedEncoding,
  persistedKeysOf,
  persistedOf,
  persistedSince,
  persistedVersionsOf,
  writtenEncodings,
} from './persisted.ts'

const stored = (encodingVersion: string, epoch: number, writeKey = 'identity'): PersistedEncoding => ({
  ...{ encodingVersion, writeKey, epoch },
})
const unknownUpTo = (epoch: number): PersistedEncoding => ({
  ...stored('Unknown', epoch, 'Unknown'),
  reason: 'NotRemembered',
})
const onV2 = { epoch: 3, encodings: ['v2 identity f strict'] }

type Row = [
  name: string,
  encodings: string[],
  persisted: PersistedEncoding[] | undefined,
  may: PersistedEncoding[],
]
const rows: readonly Row[] = [
  ['no server has ever written', [], [], []],
  ['the list of the record', onV2.encodings, [stored('v2', 3)], [stored('v2', 3)]],
  ['a record without a list', onV2.encodings, undefined, [stored('v2', 3), unknownUpTo(2)]],
  [
    'who does not record is no encoding that a list could name',
    [...onV2.encodings, 'unrecorded'],
    [stored('v2', 3)],
    [stored('v2', 3)],
  ],
  [
    'a list that does not name what is written: who wrote last does not keep it',
    ['v1 identity f strict', ...onV2.encodings],
    [stored('v2', 3)],
    [stored('v1', 3), stored('v2', 3), unknownUpTo(2)],
  ],
  [
    'nor with the key that is written under',
    ['v2 k1 f strict'],
    [stored('v2', 3)],
    [stored('v2', 3, 'k1'), stored('v2', 3), unknownUpTo(2)],
  ],
  [
    'what it names of before may be stored, under keys that are known',
    onV2.encodings,
    [stored('v2', 2), stored('v1', 1, 'k1'), { ...unknownUpTo(0), reason: 'RecordMadeAnew' }],
    [stored('v2', 3), stored('v1', 1, 'k1'), unknownUpTo(2)],
  ],
  [
    'nor does one of an earlier epoch: a server came and went since',
    onV2.encodings,
    [stored('v2', 1)],
    [stored('v2', 3), unknownUpTo(2)],
  ],
]
for (const [name, encodings, persisted, may] of rows) {
  test(`what may be stored: ${name}`, () => {
    const status = { epoch: 3, encodings, ...(persisted ? { persisted } : {}) }
    assert.deepEqual(persistedOf(status), may)
  })
}

test('what may be stored: versions and keys are read from it, each once and sorted', () => {
  const persisted = [stored('v2', 3), stored('v2', 2, 'k1'), stored('v1', 2, 'k1'), unknownUpTo(1)]
  assert.deepEqual(persistedVersionsOf({ ...onV2, persisted }), ['Unknown', 'v1', 'v2'])
  assert.deepEqual(persistedKeysOf({ ...onV2, persisted }), ['Unknown', 'identity', 'k1'])
  assert.deepEqual(persistedKeysOf(undefined), [])
})

test('what may be stored: a proof in an epoch is about all that was written before it, and about nothing later', () => {
  const persisted = [stored('v1', 4), stored('v2', 3), stored('v1', 2, 'k1'), unknownUpTo(2)]
  assert.deepEqual(persistedSince(persisted, 3), [stored('v1', 4), stored('v2', 3)])
  assert.deepEqual(persistedSince(persisted, 4), [stored('v1', 4)])
})

const current: ReadonlyArray<[name: string, persisted: PersistedEncoding[] | undefined, is: boolean]> = [
  ['the agreed version alone', [stored('v2', 3)], true],
  ['another version', [stored('v2', 3), stored('v1', 2)], false],
  ['another key', [stored('v2', 3), stored('v2', 2, 'k1')], false],
  ['an unknown encoding', [stored('v2', 3), unknownUpTo(2)], false],
  ['no list', undefined, false],
]
for (const [name, persisted, is] of current) {
  test(`what may be stored: ${name}: ${is ? 'only' : 'not only'} what all write now`, () => {
    const status = { ...onV2, agreedVersion: 'v2', ...(persisted ? { persisted } : {}) }
    assert.equal(isAllCurrent(status), is)
    assert.equal(
      isAllCurrent({ ...onV2, ...(persisted ? { persisted } : {}) }),
      false,
      'nothing is agreed on',
    )
  })
}

const ways: readonly (readonly [name: string, encodings: readonly string[], ways: readonly string[]])[] = [
  ['strict and loose write the same', ['v2 k f loose', 'v2 k f strict'], ['v2 k f']],
  ['two encoders do not', ['v2 k f strict', 'v2 k g loose'], ['v2 k f', 'v2 k g']],
  ['nor do two keys', ['v2 k f strict', 'v2 l f strict'], ['v2 k f', 'v2 l f']],
  ['who does not record writes as it likes', ['unrecorded', 'v2 k f strict'], ['unrecorded', 'v2 k f']],
]
for (const [name, encodings, wanted] of ways) {
  test(`written encodings: ${name}`, () => assert.deepEqual(writtenEncodings(encodings), wanted))
}
