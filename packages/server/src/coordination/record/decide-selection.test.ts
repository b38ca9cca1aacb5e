import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { decideAgreement, withEntry, withoutServers } from './decide-agreement.ts'

// Releases of the seed's table: x writes v1 only, x+1 and x+2 both, x+3 v2 only; from x+2 on v2 is preferred.
const releases = {
  x: [['v1'], 'v1'],
  'x+1': [['v1', 'v2'], 'v1'],
  'x+2': [['v1', 'v2'], 'v2'],
  'x+3': [['v2'], 'v2'],
} as const
type Release = keyof typeof releases

const reporter = (serverID: string, release: Release, expectedServers = 0): AgreementEntry => {
  const [versions, preferred] = releases[release]
  return {
    serverID,
    process: `${serverID} ${release}`,
    encodingVersion: preferred,
    decodableVersions: versions,
    servedVersions: versions,
    guarantee: 'strict',
    writeKey: 'identity',
    readableKeys: ['identity'],
    encoderFingerprint: `f${preferred}`,
    ...(expectedServers > 0 ? { expectedServers } : {}),
  }
}
const voter = (serverID: string, release: Release, expectedServers = 0): AgreementEntry => {
  const [versions, preferredVersion] = releases[release]
  const encoders = versions.map((each) => ({ encodingVersion: each, fingerprint: `f${each}` }))
  return { ...reporter(serverID, release, expectedServers), preferredVersion, encoders }
}

type Step =
  | { readonly join: AgreementEntry }
  /** Its entry goes, and then its Lease, which somebody else sees. */
  | { readonly leave: string }
  /** A server has a Lease, and says nothing: it is starting, or of a release without this. */
  | { readonly lease: string }
  /** Its Lease goes, and its entry stays. */
  | { readonly expire: string }
const join = (entry: AgreementEntry): Step => ({ join: entry })

/** Tells a story step by step. After each, what each server writes (`-` for one that refuses to) and what is selected. */
function tell(steps: readonly Step[]): AgreementStatus {
  let status: AgreementStatus | undefined
  let entries: readonly AgreementEntry[] = []
  const leases = new Set<string>()
  const decide = (): void => {
    status = decideAgreement({ previous: status, entries, liveServers: new Set(leases), now: 'now' })
    entries = status.servers
  }
  for (const step of steps) {
    if ('join' in step) {
      leases.add(step.join.serverID)
      entries = withEntry(entries, step.join)
    } else if ('leave' in step) {
      entries = withoutServers(entries, ({ serverID }) => serverID === step.leave)
      decide()
      leases.delete(step.leave)
    } else if ('lease' in step) leases.add(step.lease)
    else leases.delete(step.expire)
    decide()
  }
  assert.ok(status)
  return status
}

const said = ({ selectedVersion, servers }: AgreementStatus): string =>
  [
    selectedVersion ?? 'nothing',
    ...servers.map(({ serverID, encodingVersion, refusesWrites }) =>
      refusesWrites ? `${serverID} -` : `${serverID} ${encodingVersion}`,
    ),
  ].join(', ')

const allAtX1 = [join(voter('a', 'x+1')), join(voter('b', 'x+1')), join(voter('c', 'x+1'))]
const upgrade = (serverID: string, to: AgreementEntry): Step[] => [{ leave: serverID }, join(to)]

const stories: readonly [name: string, steps: readonly Step[], after: string][] = [
  [
    'nobody votes, nothing is selected',
    [join(reporter('a', 'x')), join(reporter('b', 'x+2'))],
    'nothing, a v1, b v2',
  ],
  ['the first server has its way', [join(voter('a', 'x+2'))], 'v2, a v2'],
  [
    'the second writes what the first has selected',
    [join(voter('a', 'x+2')), join(voter('b', 'x+1'))],
    'v2, a v2, b v2',
  ],
  [
    'scenario 1: the first voter goes on with what all others write',
    [join(reporter('a', 'x+1')), join(reporter('b', 'x+1')), join(voter('c', 'x+2'))],
    'v1, a v1, b v1, c v1',
  ],
  [
    'scenario 1: where the others write two versions, the first voter has its way',
    [join(reporter('a', 'x+1')), join(reporter('b', 'x+2')), join(voter('c', 'x+2'))],
    'v2, a v1, b v2, c v2',
  ],
  [
    'scenario 1: where the others say nothing, the first voter has its way',
    [{ lease: 'a' }, join(voter('c', 'x+2'))],
    'v2, c v2',
  ],
  [
    'scenario 1: the last of them to vote moves the selection',
    [
      join(reporter('a', 'x+1')),
      join(reporter('b', 'x+1')),
      ...upgrade('a', voter('a', 'x+2')),
      ...upgrade('b', voter('b', 'x+2')),
    ],
    'v2, a v2, b v2',
  ],
  [
    'scenario 2: the old version stays until the last is upgraded',
    [...allAtX1, ...upgrade('a', voter('a', 'x+2')), ...upgrade('b', voter('b', 'x+2'))],
    'v1, a v1, b v1, c v1',
  ],
  [
    'scenario 2: the last upgraded moves the selection, and all entries with it',
    [
      ...allAtX1,
      ...upgrade('a', voter('a', 'x+2')),
      ...upgrade('b', voter('b', 'x+2')),
      ...upgrade('c', voter('c', 'x+2')),
    ],
    'v2, a v2, b v2, c v2',
  ],
  [
    'trap S3: the last old server just leaves',
    [...allAtX1, ...upgrade('a', voter('a', 'x+2')), ...upgrade('b', voter('b', 'x+2')), { leave: 'c' }],
    'v2, a v2, b v2',
  ],
  [
    'trap S3: the Lease of the last old server goes, and its entry stays for now',
    [...allAtX1, ...upgrade('a', voter('a', 'x+2')), ...upgrade('b', voter('b', 'x+2')), { expire: 'c' }],
    'v2, a v2, b v2, c v2',
  ],
  [
    'half way back: whoever was upgraded goes back, and the selection has not moved',
    [...allAtX1, ...upgrade('a', voter('a', 'x+2')), ...upgrade('a', voter('a', 'x+1'))],
    'v1, a v1, b v1, c v1',
  ],
  [
    'all the way back: the last that is rolled back moves the selection',
    [
      join(voter('a', 'x+2')),
      join(voter('b', 'x+2')),
      ...upgrade('a', voter('a', 'x+1')),
      ...upgrade('b', voter('b', 'x+1')),
    ],
    'v1, a v1, b v1',
  ],
  [
    'risk: one that cannot write what is selected writes nothing',
    [...allAtX1, ...upgrade('a', voter('a', 'x+3'))],
    'v1, a -, b v1, c v1',
  ],
  [
    'risk: it writes when the others have followed',
    [
      ...allAtX1,
      ...upgrade('a', voter('a', 'x+3')),
      ...upgrade('b', voter('b', 'x+2')),
      ...upgrade('c', voter('c', 'x+2')),
    ],
    'v2, a v2, b v2, c v2',
  ],
  [
    'risk: one that is too old writes nothing either',
    [join(voter('a', 'x+2')), join(voter('b', 'x+2')), join(voter('c', 'x'))],
    'v2, a v2, b v2, c -',
  ],
  [
    'frozen: a live Lease without a candidate',
    [join(voter('a', 'x+1')), { lease: 'b' }, ...upgrade('a', voter('a', 'x+2'))],
    'v1, a v1',
  ],
  [
    'frozen: until that Lease is gone',
    [join(voter('a', 'x+1')), { lease: 'b' }, ...upgrade('a', voter('a', 'x+2')), { expire: 'b' }],
    'v2, a v2',
  ],
  [
    'frozen: fewer than are expected',
    [
      join(voter('a', 'x+1', 2)),
      join(voter('b', 'x+1', 2)),
      { leave: 'a' },
      ...upgrade('b', voter('b', 'x+2', 2)),
    ],
    'v1, b v1',
  ],
  [
    'frozen: until as many are there as are expected',
    [
      join(voter('a', 'x+1', 2)),
      join(voter('b', 'x+1', 2)),
      { leave: 'a' },
      ...upgrade('b', voter('b', 'x+2', 2)),
      join(voter('a', 'x+2', 2)),
    ],
    'v2, a v2, b v2',
  ],
  ['full stop: the selection is kept', [...allAtX1, { leave: 'a' }, { leave: 'b' }, { leave: 'c' }], 'v1'],
  [
    'full stop: in the middle of an upgrade, and all start at once: the selection is kept',
    [
      ...allAtX1,
      ...upgrade('a', voter('a', 'x+2')),
      { leave: 'a' },
      { leave: 'b' },
      { leave: 'c' },
      { lease: 'b' },
      { lease: 'c' },
      join(voter('a', 'x+2')),
      join(voter('b', 'x+1')),
      join(voter('c', 'x+1')),
    ],
    'v1, a v1, b v1, c v1',
  ],
  [
    'full stop: in the middle of an upgrade, and one starts alone: kept if it is known that there are more',
    [
      join(voter('a', 'x+1', 2)),
      join(voter('b', 'x+1', 2)),
      { leave: 'a' },
      { leave: 'b' },
      join(voter('a', 'x+2', 2)),
    ],
    'v1, a v1',
  ],
  [
    'full stop: one that starts alone is all there is, if nobody says otherwise',
    [...allAtX1, { leave: 'a' }, { leave: 'b' }, { leave: 'c' }, join(voter('a', 'x+2'))],
    'v2, a v2',
  ],
  [
    'mixed: a reporter has a voice for what it writes',
    [join(voter('a', 'x+2')), join(reporter('b', 'x+1')), join(voter('c', 'x+2'))],
    'v2, a v2, b v1, c v2',
  ],
  [
    'mixed: a reporter keeps the voters from moving',
    [join(reporter('a', 'x+1')), join(voter('b', 'x+2')), join(voter('c', 'x+2'))],
    'v1, a v1, b v1, c v1',
  ],
  [
    'mixed: a reporter that moves lets the voters follow',
    [join(reporter('a', 'x+1')), join(voter('b', 'x+2')), ...upgrade('a', reporter('a', 'x+2'))],
    'v2, a v2, b v2',
  ],
  [
    'no voters left: the selection follows those who report, once they are of one mind',
    [join(voter('a', 'x+1')), ...upgrade('a', reporter('a', 'x+2')), join(reporter('b', 'x+1'))],
    'v2, a v2, b v1',
  ],
  [
    'report to vote to report, with an upgrade on the way',
    [
      join(reporter('a', 'x+1')),
      join(reporter('b', 'x+1')),
      ...upgrade('a', voter('a', 'x+1')),
      ...upgrade('b', voter('b', 'x+1')),
      ...upgrade('a', voter('a', 'x+2')),
      ...upgrade('b', voter('b', 'x+2')),
      ...upgrade('a', reporter('a', 'x+2')),
      ...upgrade('b', reporter('b', 'x+2')),
    ],
    'v2, a v2, b v2',
  ],
]
for (const [name, steps, after] of stories) {
  test(`selection: ${name}`, () => assert.equal(said(tell(steps)), after))
}

const conditionOf = ({ conditions }: AgreementStatus) => {
  const found = conditions.find(({ type }) => type === 'SelectionUnanimous')
  return found && `${found.status} ${found.reason}: ${found.message}`
}
const why: readonly [name: string, steps: readonly Step[], condition: string | undefined][] = [
  ['nobody votes', [join(reporter('a', 'x'))], undefined],
  ['all are for it', [join(voter('a', 'x+2')), join(reporter('b', 'x+2'))], 'True Unanimous: all are for v2'],
  [
    'some are for another',
    [join(voter('a', 'x+1')), join(voter('b', 'x+2'))],
    'False CandidatesDiffer: v1 stays selected until all are for the same version: a for v1, b for v2',
  ],
  [
    'somebody is silent',
    [join(voter('a', 'x+1')), { lease: 'c' }, { lease: 'b' }],
    'False VoteFrozen: v1 stays selected until everyone is there: no candidate from b, c',
  ],
  [
    'fewer than expected',
    [join(voter('a', 'x+1', 3))],
    'False VoteFrozen: v1 stays selected until everyone is there: 1 of 3 expected servers have a candidate',
  ],
  [
    'nobody is there',
    [join(voter('a', 'x+1')), { leave: 'a' }],
    'False VoteFrozen: v1 stays selected until everyone is there: no server has a candidate',
  ],
]
for (const [name, steps, condition] of why) {
  test(`selection: the record says why: ${name}`, () => assert.equal(conditionOf(tell(steps)), condition))
}

test('selection: one that refuses writes is no part of what is encoded, nor of what is agreed', () => {
  const before = tell(allAtX1)
  const after = tell([...allAtX1, ...upgrade('a', voter('a', 'x+3'))])
  assert.deepEqual(after.encodings, before.encodings)
  assert.equal(after.epoch, before.epoch)
  assert.equal(after.agreedVersion, 'v1')
  const all = tell([...allAtX1, ...upgrade('a', voter('a', 'x+3')), { expire: 'b' }, { expire: 'c' }])
  assert.equal(all.selectedVersion, 'v2')
})

test('selection: a move of the selection is one epoch, and names the encoder of each voter', () => {
  const before = tell([...allAtX1, ...upgrade('a', voter('a', 'x+2')), ...upgrade('b', voter('b', 'x+2'))])
  const after = tell([
    ...allAtX1,
    ...upgrade('a', voter('a', 'x+2')),
    ...upgrade('b', voter('b', 'x+2')),
    { leave: 'c' },
  ])
  assert.equal(after.epoch, before.epoch + 1)
  assert.deepEqual(after.encodings, ['v2 identity fv2 strict'])
  assert.equal(after.agreedVersion, 'v2')
})

test('selection: the same facts give the same status, so that nothing is written', () => {
  const status = tell(allAtX1)
  const liveServers = new Set(['a', 'b', 'c'])
  assert.deepEqual(
    decideAgreement({ previous: status, entries: status.servers, liveServers, now: 'later' }),
    status,
  )
  // As a server registers again, whatever its entry says of what it encodes.
  const entries = withEntry(status.servers, voter('b', 'x+1'))
  assert.deepEqual(decideAgreement({ previous: status, entries, liveServers, now: 'later' }), status)
})
