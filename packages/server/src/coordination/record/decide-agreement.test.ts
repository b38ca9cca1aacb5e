import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus, StorageVersion } from '@strata/api'
import { type AgreementFacts, projectStorageVersion, withEntry } from './decide-agreement.ts'
import { decide, entry } from './decide-for-test.ts'

const conditionOf = ({ conditions }: AgreementStatus, type: string) =>
  conditions.find((each) => each.type === type)

type AgreedRow = [name: string, facts: Partial<AgreementFacts>, agreed: string | undefined]
const both = [entry('a', 'v1'), entry('b', 'v1')]
const agreement: readonly AgreedRow[] = [
  ['unanimity is agreement', { entries: both }, 'v1'],
  ['two versions are none', { entries: [entry('a', 'v1'), entry('b', 'v2')] }, undefined],
  ['nobody is none', { entries: [] }, undefined],
  [
    'a live server that says nothing prevents it (rule 11)',
    { entries: both, liveServers: new Set(['a', 'b', 'c']) },
    undefined,
  ],
  [
    'an entry whose Lease is gone still counts until it is removed',
    { entries: both, liveServers: new Set(['a']) },
    'v1',
  ],
  [
    'fewer servers than expected prevent it (rule 11)',
    { entries: [entry('a', 'v1', { expectedServers: 3 }), entry('b', 'v1')] },
    undefined,
  ],
  [
    'as many servers as expected are enough',
    { entries: [entry('a', 'v1', { expectedServers: 2 }), entry('b', 'v1', { expectedServers: 1 })] },
    'v1',
  ],
  [
    'an expected server whose Lease is gone does not count',
    { entries: [entry('a', 'v1', { expectedServers: 2 }), entry('b', 'v1')], liveServers: new Set(['a']) },
    undefined,
  ],
  [
    'a loose server does not prevent it, but it is not fenced',
    { entries: [entry('a', 'v1', { guarantee: 'loose' })] },
    'v1',
  ],
]
for (const [name, facts, agreed] of agreement) {
  test(`agreement: ${name}`, () => assert.equal(decide(facts).agreedVersion, agreed))
}

test('agreement: a loose server is named in the condition Fenced', () => {
  const fenced = conditionOf(decide({ entries: [entry('a', 'v1', { guarantee: 'loose' })] }), 'Fenced')
  assert.equal(fenced?.status, 'False')
  assert.match(fenced?.message ?? '', /a/)
})

test('agreement: equal keys are not called the end of a rotation while somebody waits for another', () => {
  const entries = ['a', 'b'].map((id) => entry(id, 'v1', { writeKey: 'k1', readableKeys: ['k1'] }))
  const [a, b] = entries as [AgreementEntry, AgreementEntry]
  const messageOf = (servers: AgreementEntry[]) =>
    conditionOf(decide({ entries: servers }), 'AllWriteKeysEqual')?.message
  assert.equal(messageOf([a, b]), 'all servers write under k1')
  assert.match(
    messageOf([a, { ...b, readableKeys: ['k2', 'k1'], wantedKey: 'k2' }]) ?? '',
    /^all servers write under k1; b waits to write under k2: a does not read it; /,
  )
})

const looseOne = entry('c', 'v1', { guarantee: 'loose' })
type EpochRow = [name: string, before: AgreementEntry[], after: AgreementEntry[], raised: boolean]
const epochs: readonly EpochRow[] = [
  ['a join with the same encoding keeps it', [entry('a', 'v1')], both, false],
  ['a leave with the same encoding keeps it', both, [entry('a', 'v1')], false],
  [
    'a restart (another process) keeps it',
    both,
    [entry('a', 'v1', { process: 'a_2' }), entry('b', 'v1')],
    false,
  ],
  ['a full stop keeps it', both, [], false],
  ['another version raises it', both, [entry('a', 'v1'), entry('b', 'v2')], true],
  [
    'the last server of the old version leaving raises it',
    [entry('a', 'v1'), entry('b', 'v2')],
    [entry('b', 'v2')],
    true,
  ],
  [
    'a key that is only wanted keeps it',
    both,
    [entry('a', 'v1', { wantedKey: 'k2' }), entry('b', 'v1')],
    false,
  ],
  ['P15: another key raises it', both, [entry('a', 'v1', { writeKey: 'k2' }), entry('b', 'v1')], true],
  [
    'another encoder raises it',
    both,
    [entry('a', 'v1', { encoderFingerprint: 'g' }), entry('b', 'v1')],
    true,
  ],
  ['another guarantee raises it', both, [entry('a', 'v1', { guarantee: 'loose' }), entry('b', 'v1')], true],
  ['a loose server that joins strict ones raises it', both, [...both, looseOne], true],
  ['and so does its leaving', [...both, looseOne], both, true],
]
for (const [name, before, after, raised] of epochs) {
  test(`epoch: ${name} (rule 10)`, () => {
    const previous = decide({ entries: before })
    assert.equal(decide({ previous, entries: after }).epoch, previous.epoch + (raised ? 1 : 0))
  })
}

test('epoch: a full stop and a start with another version raises it once', () => {
  const before = decide({ entries: both })
  const stopped = decide({ previous: before, entries: [] })
  assert.equal(decide({ previous: stopped, entries: [entry('a', 'v1')] }).epoch, before.epoch)
  assert.equal(decide({ previous: stopped, entries: [entry('a', 'v2')] }).epoch, before.epoch + 1)
})

test('agreement: the same facts give the same status, and times move only with what they date', () => {
  const first = decide({ entries: both, now: 't1' })
  assert.deepEqual(decide({ previous: first, entries: both, now: 't2' }), first)
  const apart = decide({ previous: first, entries: withEntry(both, entry('b', 'v2')), now: 't3' })
  assert.equal(conditionOf(apart, 'AllEncodingVersionsEqual')?.lastTransitionTime, 't3')
  assert.equal(conditionOf(apart, 'AllServersReported')?.lastTransitionTime, 't1')
  const again = decide({ previous: apart, entries: both, now: 't4' })
  assert.equal(again.agreedSince, 't4')
})

test('agreement: reports commute', () => {
  const entries = [entry('c', 'v1'), entry('a', 'v2'), entry('b', 'v1')]
  const inOrder = entries.reduce<AgreementEntry[]>(withEntry, [])
  const reversed = entries.toReversed().reduce<AgreementEntry[]>(withEntry, [])
  assert.deepEqual(inOrder, reversed)
  assert.deepEqual(
    inOrder.map(({ serverID }) => serverID),
    ['a', 'b', 'c'],
  )
})

// behaviour.md, section 5.1: what upstream's own tests assert.
type Status = StorageVersion['status']
const had = (common: string | undefined, status: 'True' | 'False' | undefined): Status => ({
  ...(common === undefined ? {} : { commonEncodingVersion: common }),
  ...(status === undefined
    ? {}
    : {
        conditions: [
          { type: 'AllEncodingVersionsEqual', status, lastTransitionTime: 'old', reason: 'r', message: 'm' },
        ],
      }),
})
type ProjectionRow = [
  id: string,
  previous: Status | undefined,
  entries: AgreementEntry[],
  common: string | undefined,
  holds: 'True' | 'False',
  time: 'old' | 'now',
]
const three = (...versions: string[]): AgreementEntry[] =>
  versions.map((each, index) => entry(`s${index}`, each))
const projections: readonly ProjectionRow[] = [
  ['A4: first server', undefined, three('v1'), 'v1', 'True', 'now'],
  ['A5: a third server disagrees', had('v1', 'True'), three('v1', 'v1', 'v2'), undefined, 'False', 'now'],
  [
    'A6: a third server with more decodables agrees',
    had('v1', 'True'),
    [...three('v1', 'v1'), entry('s2', 'v1', { decodableVersions: ['v1', 'v2', 'v3'] })],
    'v1',
    'True',
    'old',
  ],
  [
    'A7: one more while disagreeing',
    had(undefined, 'False'),
    three('v1', 'v2', 'v1'),
    undefined,
    'False',
    'old',
  ],
  [
    'A8: no common, no condition before',
    had(undefined, undefined),
    three('v1', 'v2'),
    undefined,
    'False',
    'now',
  ],
  ['A9: common lost', had('v1', 'True'), three('v1', 'v2'), undefined, 'False', 'now'],
  ['A10: no common, as before', had(undefined, 'False'), three('v1', 'v2'), undefined, 'False', 'old'],
  ['A11: common, no condition before', had(undefined, undefined), three('v1', 'v1'), 'v1', 'True', 'now'],
  ['A12: common, as before', had('v1', 'True'), three('v1', 'v1'), 'v1', 'True', 'old'],
  ['A13: common reached', had(undefined, 'False'), three('v1', 'v1'), 'v1', 'True', 'now'],
  ['A14: one common version follows another', had('v1', 'True'), three('v2', 'v2'), 'v2', 'True', 'now'],
]
const said = {
  True: { reason: 'CommonEncodingVersionSet', message: 'Common encoding version set' },
  False: { reason: 'CommonEncodingVersionUnset', message: 'Common encoding version unset' },
} as const
test('StorageVersion: a server that refuses writes is listed, and what is common is said of those that write', () => {
  const [writer] = three('v1', 'v1')
  assert.ok(writer)
  const refusing = { ...writer, serverID: 'z', refusesWrites: true }
  const outvoted = { ...refusing, encodingVersion: 'v1', preferredVersion: 'v2', decodableVersions: ['v2'] }
  const shownIn = (...entries: (typeof writer)[]) => {
    const { storageVersions = [], commonEncodingVersion } = projectStorageVersion(entries, undefined, 'now')
    const servers = storageVersions.map((each) => `${each.apiServerID} ${each.encodingVersion}`)
    return [...servers, `common ${commonEncodingVersion}`]
  }
  assert.deepEqual(shownIn(writer, refusing), [`${writer.serverID} v1`, 'z v1', 'common v1'])
  // It shows what it can decode: upstream allows nothing else.
  assert.deepEqual(shownIn(writer, outvoted), [`${writer.serverID} v1`, 'z v2', 'common v1'])
  assert.deepEqual(shownIn(outvoted), ['z v2', 'common v2'])
})

for (const [id, previous, entries, common, holds, time] of projections) {
  test(`StorageVersion ${id}`, () => {
    const status = projectStorageVersion(entries, previous, 'now')
    assert.deepEqual(status, {
      storageVersions: entries.map(({ serverID, encodingVersion, decodableVersions, servedVersions }) => ({
        ...{ apiServerID: serverID, encodingVersion, decodableVersions, servedVersions },
      })),
      ...(common === undefined ? {} : { commonEncodingVersion: common }),
      // Section 1.5: whatever stood there before.
      conditions: [
        { type: 'AllEncodingVersionsEqual', status: holds, lastTransitionTime: time, ...said[holds] },
      ],
    })
  })
}
