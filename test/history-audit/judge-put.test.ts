import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, StorageVersionStatus } from '@strata/api'
import type { Writer } from '@strata/server/history-for-test'
import { exceptionReasons, type Judgement, judgePut } from './judge-put.ts'
import { shownFor } from './record-for-test.ts'

const [v1, v2] = ['example.dev/v1', 'example.dev/v2']

const entry = (
  serverID: string,
  encodingVersion: string,
  more: Partial<AgreementEntry> = {},
): AgreementEntry => ({
  ...{
    serverID,
    process: `${serverID}-1`,
    encodingVersion,
    decodableVersions: [v1, v2],
    servedVersions: [v1, v2],
  },
  ...{ guarantee: 'strict', writeKey: 'identity', readableKeys: [], encoderFingerprint: 'f' },
  ...more,
})
const record = (servers: readonly AgreementEntry[], agreedVersion?: string): AgreementStatus => ({
  ...{ epoch: 1, encodings: [], servers, conditions: [] },
  ...(agreedVersion === undefined ? {} : { agreedVersion }),
})
const by = (serverID: string, process = `${serverID}-1`): Writer => ({ serverID, process })
const a1 = entry('a', v1)
const b2 = entry('b', v2)
const sealing = entry('a', v1, { writeKey: 'k1' })
const refusing = entry('b', v1, { refusesWrites: true })

interface Case {
  readonly put?: string
  readonly under?: string
  readonly seal?: string
  readonly by?: Writer
  readonly record?: AgreementStatus
  /** By default as in the record. */
  readonly shown?: StorageVersionStatus
}

const cases: Record<string, readonly [Case, Judgement['verdict'] | RegExp]> = {
  'its writer had recorded it': [{ put: v1, by: by('a'), record: record([a1, b2]) }, 'recorded'],
  'so had the other, in another version': [{ put: v2, by: by('b'), record: record([a1, b2]) }, 'recorded'],
  'nothing is recorded': [{ put: v1, by: by('a') }, /^NothingRecorded: is in example.dev\/v1, and no server/],
  'all entries are gone': [{ put: v1, by: by('a'), record: record([]) }, /^NothingRecorded/],
  'only others had recorded it': [
    { put: v1, by: by('c'), record: record([a1]) },
    /^NoEntry: .* its writer c had no entry/,
  ],
  'an earlier run had recorded it': [
    { put: v1, by: by('a', 'a-2'), record: record([a1]) },
    /^OtherProcess: was written by process a-2 of a, whose entry was that of a-1/,
  ],
  'its writer had recorded another version, though another server had recorded this one': [
    { put: v2, by: by('a'), record: record([a1, b2]) },
    /^OtherVersion: is in example.dev\/v2; the entry of its writer a said example.dev\/v1/,
  ],
  'its writer was not to write': [{ put: v1, by: by('b'), record: record([a1, refusing]) }, /^RefusesWrites/],
  'unknown writer, all entries the same': [{ put: v1, record: record([a1, entry('c', v1)]) }, 'recorded'],
  'unknown writer, entries differ': [{ put: v1, record: record([a1, b2]) }, 'ambiguous'],
  'unknown writer, no server had recorded it': [
    { put: v2, record: record([a1]) },
    /^OtherVersion: .* the entries of all servers said example.dev\/v1/,
  ],
  'unknown writer, the only other entry refuses writes': [
    { put: v1, record: record([a1, refusing]) },
    'recorded',
  ],
  'unknown writer, all refuse writes': [
    { put: v1, record: record([refusing]) },
    /^OtherVersion: .* said nothing/,
  ],
  'it is what was agreed': [{ put: v1, by: by('a'), record: record([a1], v1) }, 'recorded'],
  'the record called another version agreed': [
    { put: v2, by: by('b'), record: record([a1, b2], v1) },
    /^NotAgreed: .* all servers were said to store example.dev\/v1/,
  ],
  'the StorageVersion object said something else': [
    { put: v1, by: by('a'), record: record([a1]), shown: shownFor([entry('a', v2)]) },
    /^ShownOtherwise: the StorageVersion object said a=example.dev\/v2, the record a=example.dev\/v1/,
  ],
  'its writer does not record what it writes, and the record says so': [
    { put: v2, by: by('c'), record: { ...record([a1]), encodings: ['unrecorded'] } },
    /^Unrecorded: is in example.dev\/v2; a server was there that does not record/,
  ],
  'no other server is there': [
    { put: v2, by: by('c'), record: { ...record([]), encodings: ['unrecorded'] } },
    /^Unrecorded/,
  ],
  'some server does not record what it writes, but this writer does, and wrote another version': [
    { put: v2, by: by('a'), record: { ...record([a1]), encodings: ['unrecorded'] } },
    /^OtherVersion/,
  ],
  'unknown writer, and some server does not record what it writes': [
    { put: v1, record: { ...record([a1]), encodings: ['unrecorded'] } },
    'ambiguous',
  ],
  'it is under the key that its writer had recorded': [
    { put: v1, under: 'k1', by: by('a'), record: record([sealing, b2]) },
    'recorded',
  ],
  'its writer had recorded another key': [
    { put: v1, under: 'k2', by: by('a'), record: record([sealing]) },
    /^OtherKey: is under k2; the entry of its writer a said k1/,
  ],
  'its writer had recorded a key, and encrypted nothing': [
    { put: v1, by: by('a'), record: record([sealing]) },
    /^OtherKey: is under identity/,
  ],
  'unknown writer, no server had recorded that key': [
    { put: v1, under: 'k2', record: record([sealing]) },
    /^OtherKey: is under k2; the entries of all servers said k1/,
  ],
  'unknown writer, two keys': [
    { put: v1, under: 'k1', record: record([sealing, entry('c', v1)]) },
    'ambiguous',
  ],
  'its key was not given': [
    { seal: 'k8s:enc:aesgcm:v1:k1:', by: by('a'), record: record([sealing]) },
    'unseen',
  ],
  'what comes out under its key is none of ours': [
    { under: 'k1', by: by('a'), record: record([sealing]) },
    /^Unreadable/,
  ],
  'the bytes are none of ours': [{ by: by('a'), record: record([a1]) }, /^Unreadable/],
}

for (const [name, [{ put, by: writer, record: before, shown, ...encrypted }, expected]] of Object.entries(
  cases,
)) {
  test(`judge of a put: ${name}`, () => {
    const recorded = { record: before, shown: shown ?? shownFor(before?.servers ?? []) }
    const judged = judgePut(put, writer, recorded, encrypted)
    if (typeof expected === 'string') assert.equal(judged.verdict, expected)
    else assert.match('reason' in judged ? `${judged.reason}: ${judged.message}` : judged.verdict, expected)
  })
}

test('judge of a put: an exception names what the writer had promised', () => {
  const loose = entry('a', v2, { guarantee: 'loose' })
  const judged = judgePut(v1, by('a'), { record: record([loose]), shown: shownFor([loose]) })
  assert.equal('guarantee' in judged && judged.guarantee, 'loose')
})

test('judge of a put: the page about it has every reason', async () => {
  const page = await readFile(new URL('README.md', import.meta.url), 'utf8')
  assert.deepEqual(
    exceptionReasons.filter((reason) => !page.includes(`\`${reason}\``)),
    [],
  )
})
