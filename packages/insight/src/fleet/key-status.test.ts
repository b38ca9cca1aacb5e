import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { agreedOnV1, entry, record } from './records-for-test.ts'
import { renderNotes } from './render-notes.ts'
import { describeResource } from './resource-status.ts'
import type { ServerStatus } from './server-status.ts'

const k1 = 'aesgcm:one:111111111111'
const k2 = 'aesgcm:two:222222222222'
const under = (serverID: string, writeKey: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  ...entry(serverID, 'example.dev/v1'),
  writeKey,
  readableKeys: [writeKey],
  ...more,
})
const servers = ['a', 'b'].map((name) => ({
  name,
  serverID: name,
  instance: name.toUpperCase(),
  hasLease: true,
})) as unknown as ServerStatus[]
const both = { readableKeys: [k1, k2] }

const cases: ReadonlyArray<
  [
    name: string,
    entries: readonly AgreementEntry[],
    problem: RegExp | undefined,
    unreadable: RegExp | undefined,
  ]
> = [
  ['one key is nothing to tell of', [under('a', k1), under('b', k1)], undefined, undefined],
  [
    'different keys are reported, with the key of each server',
    [under('a', k1, both), under('b', k2, both)],
    /servers write under different keys \(a aesgcm:one:1+, b aesgcm:two:2+\)/,
    undefined,
  ],
  [
    'a key that a server lacks is worse',
    [under('a', k1, both), under('b', k2)],
    /different keys/,
    /a writes under aesgcm:one:1+, which b cannot decrypt; give b that key, or immediately stop b or a/,
  ],
  [
    'a KMS reads all of its keys',
    [
      under('a', 'kms:v:1', { readableKeys: ['kms:v:*'] }),
      under('b', 'kms:v:1', { readableKeys: ['kms:v:*'] }),
    ],
    undefined,
    undefined,
  ],
]
const remembers = {
  epoch: 1,
  encodings: [],
  persisted: [{ encodingVersion: 'example.dev/v1', writeKey: k1, epoch: 1 }],
}
for (const [name, entries, problem, unreadable] of cases) {
  test(`status of keys: ${name}`, () => {
    const seen = describeResource(record(entries, { ...agreedOnV1, ...remembers }), servers)
    assert.match(seen.problems.join('; '), problem ?? /^$/)
    assert.match(seen.unreadable.join('; '), unreadable ?? /^$/)
    assert.deepEqual(seen.persistedKeys, [k1])
  })
}

test('status of keys: a server that waits for a key is reported, with the servers that lack it, though all agree', () => {
  const entries = [under('a', k1), under('b', k1, { ...both, wantedKey: k2 })]
  const seen = describeResource(record(entries, agreedOnV1), servers)
  assert.deepEqual(seen.problems, [])
  const notes = renderNotes({
    ...{ resources: [seen], servers, advice: [], withdrawn: [], problems: [] },
    ...{ observedAt: '', agreed: true, unseen: undefined },
  })
  assert.equal(
    notes,
    `Note: things.example.dev: b (B) waits to write under ${k2}: a (A) does not read it; give it the same --encryption-provider-config.`,
  )
  const done = describeResource(record([under('a', k2), under('b', k2)], agreedOnV1), servers)
  assert.equal(done.keyWaits, undefined)
})

test('status of keys: a server that lacks one says what it needs', () => {
  const lacking = { refusesWrites: true, keyProblem: 'what is stored may be under x' }
  const seen = describeResource(record([under('a', k1), under('b', k2, lacking)], agreedOnV1), servers)
  assert.match(seen.refusals.join(), /refuses writes and is not ready: what is stored may be under x/)
  assert.deepEqual(seen.problems, [])
})
