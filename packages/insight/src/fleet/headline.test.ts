import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementStatus, Lease, StorageAgreement, StorageState } from '@strata/api'
import { describeFleet, type FleetFacts } from './fleet-status.ts'
import { decideHeadline, headlineParts, headlineText, type Tone } from './headline.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './records-for-test.ts'

const renewed = (name: string, instance: string, secondsAgo = 1): Lease =>
  lease(name, instance, { renewTime: new Date(nowMs - secondsAgo * 1000).toISOString() })
const three = [renewed('a', 'a'), renewed('b', 'b'), renewed('c', 'c')]
const named = (resource: string, each: StorageAgreement): StorageAgreement => ({
  ...each,
  metadata: { name: `example.dev.${resource}` },
  spec: { group: 'example.dev', resource },
})
const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const persisted = (...versions: readonly string[]): Pick<AgreementStatus, 'persisted' | 'encodings'> => ({
  persisted: versions.map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 3 })),
  encodings: [`${v1} identity f strict`],
})
const all = [entry('a', v1), entry('b', v1), entry('c', v1)]
const agreed = record(all, { ...agreedOnV1, ...persisted(v1) })
const cleared = { encodingVersion: v2, writeKey: 'identity', epoch: 2 }
const accepted: StorageAgreement = {
  ...named(
    'beacons',
    record(all, {
      ...agreedOnV1,
      ...persisted(v1),
      persisted: [...(persisted(v1).persisted ?? []), cleared],
    }),
  ),
  metadata: { name: 'example.dev.beacons', uid: 'r' },
}
const acceptance = {
  metadata: { name: 'beacons.example.dev' },
  spec: { resource: accepted.spec },
  status: {
    persistedStorageVersionHashes: ['a'],
    currentStorageVersionHash: 'a',
    accepted: { recordUID: 'r', epoch: 3 },
  },
} as unknown as StorageState
const split = record([entry('a', v2), entry('b', v1), entry('c', v1)], {
  conditions: [
    {
      ...{ type: 'AllEncodingVersionsEqual', status: 'False', reason: '', message: '' },
      lastTransitionTime: '2026-01-01T00:00:48Z',
    },
  ],
})
const late = record([entry('a', v1), entry('b', v1)])

const rows: readonly [name: string, facts: Partial<FleetFacts>, tone: Tone, want: string][] = [
  ['nothing to do', {}, 'good', 'All 2 resources agree, and nothing is stored in an old version.'],
  [
    'an old version is cleared without a proof',
    {
      records: [agreed, accepted],
      trigger: { states: [acceptance], migrations: [], leader: { isHeld: false } },
    },
    'good',
    'All 2 resources agree, and nothing is known to be stored in an old version.',
  ],
  [
    'an upgrade is half done',
    { records: [agreed, named('beacons', split)] },
    'disagreed',
    '1 of 2 resources disagrees, for 42s: beacons.example.dev. S1 writes v2, S2 and S3 write v1. Finish the upgrade or roll it back.',
  ],
  [
    'many have the same reason, and one another',
    {
      records: [named('beacons', split), ...['a', 'b', 'c', 'd'].map((each) => named(each, late))],
    },
    'disagreed',
    '5 of 5 resources disagree, for 42s: beacons.example.dev. S1 writes v2, S2 and S3 write v1; 4 more for other reasons. Finish the upgrade or roll it back.',
  ],
  [
    'a server starts',
    { records: [agreed, named('beacons', late)] },
    'disagreed',
    '1 of 2 resources disagrees: beacons.example.dev. No entry from S3 (c): is it starting, is it a release without agreement, or is this resource turned off there (feature gates, --runtime-config)?',
  ],
  [
    'unreadable objects come before disagreement',
    {
      records: [
        named(
          'beacons',
          record([{ ...entry('a', v2) }, { ...entry('b', v1), decodableVersions: [v1] }, entry('c', v1)]),
        ),
      ],
    },
    'alarm',
    'Unreadable objects are being written of 1 of 1 resource: beacons.example.dev. S1 writes v2, which S2 cannot decode: objects written now cannot be read through S2; a release was skipped: immediately stop S2, or S1.',
  ],
  [
    'an old version may be stored, and controllers run',
    {
      records: [agreed, named('beacons', record(all, { ...agreedOnV1, ...persisted(v1, v2) }))],
      trigger: { states: [], migrations: [], leader: { isHeld: true, durationSeconds: 15 } },
    },
    'left',
    'All 2 resources agree; objects of 1 resource may still be stored in an old version or key: beacons.example.dev. The controllers migrate them.',
  ],
  [
    'the same without controllers',
    {
      records: [agreed, named('beacons', record(all, { ...agreedOnV1, ...persisted(v1, v2) }))],
      trigger: { states: [], migrations: [], leader: { isHeld: false } },
    },
    'left',
    'All 2 resources agree; objects of 1 resource may still be stored in an old version or key: beacons.example.dev. No controllers are running; to migrate them, run: strata migrate beacons.example.dev.',
  ],
  [
    'a server is silent',
    { leases: [renewed('a', 'a'), renewed('b', 'b', 40), renewed('c', 'c')] },
    'left',
    'All 2 resources agree. S2 (b) has been silent for 40s: start it again, or its entries are removed by any server that collects expired servers (the default); if none runs, start "strata controllers".',
  ],
  [
    'the fleet is not seen',
    { unseen: { since: '2026-01-01T00:01:00Z', because: 'connection refused' } },
    'unknown',
    'No server answers, for 30s. Connection refused. What is shown is from before that.',
  ],
  [
    'no records yet',
    { records: [] },
    'disagreed',
    'There are no agreement records: no server has reported its storage versions yet.',
  ],
]
for (const [name, facts, tone, want] of rows) {
  test(`headline: ${name}`, () => {
    const seen = { records: [agreed, named('others', agreed)], leases: three, ...facts }
    const headline = decideHeadline(describeFleet(seen, nowMs))
    assert.equal(headlineText(headline, nowMs), want)
    assert.equal(headline.tone, tone)
  })
}

const parts: ReadonlyArray<[name: string, because: string | undefined, want: readonly [string, string]]> = [
  ['with a reason', 'S1 is away', ['Read by e.g. one, for 30s: lamps.', 'S1 is away. Start it.']],
  ['without one', undefined, ['Read by e.g. one, for 30s: lamps.', 'Start it.']],
  ['with an empty one', '', ['Read by e.g. one, for 30s: lamps.', 'Start it.']],
]
for (const [name, because, want] of parts)
  test(`headline: what is so is one part, ${name}`, () => {
    const since = '2026-01-01T00:01:00Z'
    const headline = { tone: 'left', what: 'read by e.g. one', since, resources: ['lamps'] } as const
    assert.deepEqual(headlineParts({ ...headline, because, advice: 'start it' }, nowMs), want)
  })

test('headline: a vote that is open is no disagreement', () => {
  const votes = [
    { ...entry('a', v1), preferredVersion: v2 },
    { ...entry('b', v1), preferredVersion: v1 },
    { ...entry('c', v1), preferredVersion: v1 },
  ]
  const voting = record(votes, { ...agreedOnV1, ...persisted(v1), selectedVersion: v1 })
  const headline = decideHeadline(describeFleet({ records: [voting], leases: three }, nowMs))
  assert.equal(headline.tone, 'left')
  assert.match(headlineText(headline, nowMs), /the vote on 1 resource is open: .*v1 stays selected while/i)
})
