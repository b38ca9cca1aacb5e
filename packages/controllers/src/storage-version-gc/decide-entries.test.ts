import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { decideEntries, type LeaseKnowledge } from './decide-entries.ts'

const entry = (serverID: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion: 'v1',
  decodableVersions: ['v1'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})

type Row = [name: string, leases: Readonly<Record<string, LeaseKnowledge>>, removed: string[], kept: string[]]
const cases: readonly Row[] = [
  ['all Leases present: nothing', { a: 'present', b: 'present' }, [], []],
  ['G3: an entry without a Lease goes, the others stay', { a: 'present', b: 'absent' }, ['b'], ['a']],
  ['G4: the last entry goes', { a: 'absent' }, ['a'], []],
  ['P3: a failed read is not an absence', { a: 'present', b: 'unknown' }, [], []],
  ['P3: and hides no real absence', { a: 'absent', b: 'unknown', c: 'present' }, ['a'], ['b', 'c']],
  ['no entries: nothing', {}, [], []],
]
for (const [name, leases, removed, kept] of cases) {
  test(`entries: ${name}`, () => {
    const decision = decideEntries(Object.keys(leases).map(entry), (id) => leases[id] ?? 'unknown')
    assert.deepEqual(decision.do === 'remove' ? decision.servers : [], removed)
    assert.deepEqual(decision.do === 'remove' ? decision.keep.map(({ serverID }) => serverID) : [], kept)
  })
}

test('entries: the entries that stay are unchanged, in their order', () => {
  const entries = ['c', 'a', 'b'].map(entry)
  const decision = decideEntries(entries, (id) => (id === 'a' ? 'absent' : 'present'))
  assert.deepEqual(decision.do === 'remove' && decision.keep, [entries[0], entries[2]])
})
