import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementStatus, WrittenEncodings } from '@strata/api'
import { decideWritten, type WrittenFacts } from './decide-written.ts'

const encoding = (versionName: string, key = 'identity') => `example.dev/${versionName} ${key} f strict`
const written = (versionName: string, epoch: number, writeKey = 'identity') => ({
  encodingVersion: `example.dev/${versionName}`,
  ...{ writeKey, epoch },
})
const record = (
  epoch: number,
  encodings: readonly string[],
  history?: WrittenEncodings,
): AgreementStatus => ({
  ...{ epoch, encodings, servers: [], conditions: [] },
  ...(history ? { written: history } : {}),
})
const atV1: WrittenEncodings = { since: 1, encodings: [written('v1', 1)] }

type Row = [name: string, facts: Partial<WrittenFacts>, want: WrittenEncodings]
const rows: readonly Row[] = [
  ['the first record begins the history', { epoch: 1, encodings: [encoding('v1')] }, atV1],
  ['nobody is there, and nothing was written', { epoch: 1 }, { since: 1, encodings: [] }],
  [
    'another version comes first, and the one before keeps the last epoch it was written in',
    { previous: record(1, [encoding('v1')], atV1), epoch: 2, encodings: [encoding('v2')] },
    { since: 1, encodings: [written('v2', 2), written('v1', 1)] },
  ],
  [
    'A, B, A: the one in between stays',
    {
      previous: record(2, [encoding('v2')], {
        since: 1,
        encodings: [written('v2', 2), written('v1', 1)],
      }),
      epoch: 3,
      encodings: [encoding('v1')],
    },
    { since: 1, encodings: [written('v1', 3), written('v2', 2)] },
  ],
  [
    'two at once are both written now, each once whatever its fingerprint',
    {
      previous: record(1, [encoding('v1')], atV1),
      epoch: 2,
      encodings: [encoding('v1'), 'example.dev/v1 identity g strict', encoding('v2')],
    },
    { since: 1, encodings: [written('v1', 2), written('v2', 2)] },
  ],
  [
    'another key is another encoding',
    { previous: record(1, [encoding('v1')], atV1), epoch: 2, encodings: [encoding('v1', 'k1')] },
    { since: 1, encodings: [written('v1', 2, 'k1'), written('v1', 1)] },
  ],
  [
    'of what is not recorded nothing is known here: the gap says so',
    { previous: record(1, [encoding('v1')], atV1), epoch: 2, encodings: [encoding('v1'), 'unrecorded'] },
    { since: 1, encodings: [written('v1', 2)] },
  ],
  [
    'a loose server that is gone may still write what it wrote in the epoch before',
    {
      previous: record(2, [encoding('v1'), encoding('v2')], {
        since: 1,
        encodings: [written('v1', 2), written('v2', 2), written('v0', 1)],
      }),
      epoch: 3,
      encodings: [encoding('v2')],
      hasLooseMarks: true,
    },
    { since: 1, encodings: [written('v1', 3), written('v2', 3), written('v0', 1)] },
  ],
  [
    'a record from before there was a history knows its own epoch alone',
    { previous: record(7, [encoding('v1')]), epoch: 8, encodings: [encoding('v2')] },
    { since: 7, encodings: [written('v2', 8), written('v1', 7)] },
  ],
]
for (const [name, facts, want] of rows) {
  test(`written: ${name}`, () => {
    const base = { previous: undefined, epoch: 1, encodings: [], hasLooseMarks: false }
    assert.deepEqual(decideWritten({ ...base, ...facts }), want)
  })
}

test('written: what is forgotten because there is too much is said to be', () => {
  let status = record(1, [encoding('v1', 'k1')])
  for (let epoch = 1; epoch <= 100; epoch++) {
    const encodings = [encoding('v1', `k${epoch}`)]
    const previous = epoch === 1 ? undefined : status
    const history = decideWritten({ previous, epoch, encodings, hasLooseMarks: false })
    status = record(epoch, encodings, history)
  }
  assert.equal(status.written?.encodings.length, 64)
  assert.deepEqual(status.written?.encodings.at(-1), written('v1', 37, 'k37'))
  assert.equal(status.written?.since, 37)
})
