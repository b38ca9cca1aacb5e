import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cannotDecodePhrase } from '@strata/api'
import type { RecordView, Writer } from '../record-view.ts'
import type { Verdict } from '../scene.ts'
import type { Stored } from '../take-census.ts'
import { decideFence, type FenceFacts } from './fence.ts'
import type { FenceRound } from './fence-round.ts'
import { decideMigrate, type MigrateFacts } from './migrate-and-prune.ts'
import { decideRotation, type RotateFacts } from './rotate-key.ts'
import { decideSkipped, type SkippedFacts } from './skipped-release.ts'
import { decideUpgrade, type UpgradeFacts } from './upgrade.ts'
import { decideVote, type VoteFacts } from './vote.ts'

const writer = (server: string, writes: string, more: Partial<Writer> = {}): Writer => ({
  ...{ server, writes, reads: ['v1', 'v2'], prefers: undefined, writeKey: 'identity', readableKeys: [] },
  ...more,
})
const record = (agreed: string | undefined, ...writers: readonly Writer[]): RecordView => ({
  ...{ agreed, selected: undefined, epoch: 1, writers },
})
const stored = (byVersion: Record<string, number>, more: Partial<Stored> = {}): Stored => ({
  total: Object.values(byVersion).reduce((sum, each) => sum + each, 0),
  ...{ byVersion, byKey: {}, proven: true, ...more },
})

/** Each row changes one thing of a performance that proves its sentence. `want` is a part of the sentence. */
function verdicts<Facts>(
  scene: string,
  decide: (facts: Partial<Facts>) => Verdict,
  proof: Facts,
  says: string,
  rows: ReadonlyArray<[name: string, change: Partial<Facts>, want: string]>,
): void {
  describe(`scene ${scene}`, () => {
    test('what was seen is said', () => assert.deepEqual(decide(proof), { proven: true, sentence: says }))
    test('nothing is said before the end', () => assert.equal(decide({}).proven, false))
    for (const [name, change, want] of rows) {
      test(name, () => {
        const { proven, sentence } = decide({ ...proof, ...change })
        assert.equal(proven, false, sentence)
        assert.ok(sentence.includes(want), sentence)
      })
    }
  })
}

const both = [writer('s1', 'v2'), writer('s2', 'v1')]
verdicts<UpgradeFacts>(
  'upgrade',
  decideUpgrade,
  {
    before: record('v1', writer('s1', 'v1'), writer('s2', 'v1')),
    halfWay: record(undefined, ...both),
    storedHalfWay: stored({ v1: 3, v2: 1 }),
    after: record('v2', writer('s1', 'v2'), writer('s2', 'v2')),
    load: { written: 7, refused: 0, unknown: 0 },
  },
  '2 servers went from v1 to v2 one after the other while clients wrote 7 times, and none was refused; half-way the record said who writes v2 and v1, and every server could read all that was stored',
  [
    ['an agreement that stays', { after: record('v1', ...both) }, 'no change was seen'],
    ['no agreement', { after: record(undefined, ...both) }, 'none after'],
    [
      'one version half-way',
      { halfWay: record('v1', writer('s1', 'v1'), writer('s2', 'v1')) },
      'all servers wrote one',
    ],
    [
      'a version that another server does not read',
      { halfWay: record(undefined, writer('s1', 'v2'), writer('s2', 'v1', { reads: ['v1'] })) },
      'could not read',
    ],
    ['a stored version that nobody reads', { storedHalfWay: stored({ v0: 1 }) }, 'could not read v0'],
  ],
)

const votes = (selected: string, ...prefers: readonly string[]): RecordView => ({
  ...record(selected, ...prefers.map((each, index) => writer(`s${index}`, selected, { prefers: each }))),
  selected,
})
const cast = [votes('v1', 'v1', 'v1'), votes('v1', 'v2', 'v1'), votes('v2', 'v2', 'v2')]
const [first = assert.fail(), middle = assert.fail(), last = assert.fail()] = cast
verdicts<VoteFacts>(
  'vote',
  decideVote,
  { looks: cast },
  '2 servers that vote wrote one version at every look: v1 while some still voted for it, and v2 once all preferred it',
  [
    [
      'servers that write two versions',
      { looks: [first, { ...middle, writers: both }, last] },
      'different versions',
    ],
    [
      'a selection that moves too early',
      { looks: [first, votes('v2', 'v2', 'v1'), last] },
      'before all had voted',
    ],
    ['no vote against it between', { looks: [first, first, last] }, 'before all had voted'],
    ['a selection that stays', { looks: [first, middle, votes('v1', 'v2', 'v2')] }, 'stayed v1'],
    ['nothing between', { looks: [first, last] }, 'not seen to its end'],
  ],
)

const round: FenceRound = {
  ...{ old: 'v1', now: 'v2', waiting: 4, refused: 3, isUntouched: true },
  ...{ before: stored({ v1: 9 }), after: stored({ v1: 9, v2: 4 }) },
}
verdicts<FenceFacts>(
  'fence',
  decideFence,
  { server: 's3', rounds: [{ ...round, refused: 0 }, round] },
  's3 was frozen while 4 clients waited for it and the others went from v1 to v2; thawed, it tried to store v1, and the store refused 3 writes; all 4 objects that it stored then are in v2, and not one more in v1',
  [
    [
      'nothing that was refused',
      { rounds: [{ ...round, refused: 0 }] },
      'in 1 rounds s3 read the new agreement',
    ],
    [
      'an old version that was stored',
      { rounds: [round, { ...round, after: stored({ v1: 10, v2: 3 }) }] },
      '10 objects are stored in v1',
    ],
    [
      'also where nothing was refused',
      { rounds: [{ ...round, refused: 0, after: stored({ v1: 10 }) }, round] },
      'an old version was written',
    ],
    [
      'counts with a migration between them',
      { rounds: [{ ...round, isUntouched: false }] },
      'nothing had to be refused',
    ],
  ],
)

verdicts<MigrateFacts>(
  'migrate',
  decideMigrate,
  {
    ...{ before: stored({ v1: 5 }), after: stored({ v2: 5 }) },
    ...{ migrate: 0, verify: 0, prune: 0, storedVersions: ['v2'] },
  },
  '5 objects that were stored in v1 are proven to be in v2, and no server can store v1: v1 is gone from storedVersions',
  [
    ['a migration that failed', { migrate: 4 }, 'strata migrate ended with exit code 4'],
    ['no proof', { verify: 3 }, 'strata verify ended with exit code 3'],
    ['a refused prune', { prune: 1 }, 'strata prune'],
    ['an object that is left', { after: stored({ v1: 1, v2: 4 }) }, '1 in v1, 4 in v2'],
    ['an object that is lost', { after: stored({ v2: 4 }) }, '4 in v2, and 5 were'],
    ['counts that are not final', { after: stored({ v2: 5 }, { proven: false }) }, 'stored are 5 in v2'],
    ['nothing to migrate', { before: stored({ v2: 5 }) }, 'stored are'],
    ['a version that stays', { storedVersions: ['v1', 'v2'] }, 'storedVersions still has v1, v2'],
  ],
)

verdicts<SkippedFacts>(
  'skipped-release',
  decideSkipped,
  {
    ...{
      stored: stored({ v1: 3 }),
      check: 1,
      server: 's1',
      failure: `s1 does not start: 3 objects are stored as lighthouse.example.dev/v1, which release x+3 ${cannotDecodePhrase}`,
      writtenMeanwhile: 8,
    },
    ...{ releasesAfter: ['x+1'], names: ['n/a', 'n/b'], namesAfter: ['n/b', 'n/new', 'n/a'] },
  },
  'strata check called x+3 unsafe; s1 did not become ready with it, because it cannot read v1, the other servers went on and acknowledged 8 writes, and after the way back all 2 objects of before can be read',
  [
    ['nothing in the old version', { stored: stored({ v2: 3 }) }, 'can read everything'],
    ['a check that finds nothing', { check: 0 }, 'exit code 0'],
    ['a server that became ready', { failure: '' }, 'became ready with x+3'],
    ['clients that could not write', { writtenMeanwhile: 0 }, 'no write was seen'],
    ['a server that stays behind', { releasesAfter: ['x+1', 'x+3'] }, 'x+1, x+3'],
    [
      'an object that is lost, and another in its place',
      { namesAfter: ['n/b', 'n/new'] },
      '1 are gone afterwards: n/a',
    ],
    ['no objects', { names: [], namesAfter: [] }, 'of 0 objects'],
    [
      'a server that fails for another reason',
      { failure: 's1 does not start: EADDRINUSE' },
      'another reason than objects in v1: s1 does not start: EADDRINUSE',
    ],
    [
      'objects of another version',
      { failure: `stored as lighthouse.example.dev/v2, which ${cannotDecodePhrase}` },
      'another reason',
    ],
  ],
)

const under = (key: string, count = 3): Stored => stored({ v1: count }, { byKey: { [key]: count } })
verdicts<RotateFacts>(
  'rotate-key',
  decideRotation,
  {
    ...{ before: under('aesgcm:key1:a'), after: under('aesgcm:key2:b'), refusal: 'it drops keys', rotate: 0 },
    ...{ servers: ['s1', 's2'], readBy: ['s1', 's2'] },
  },
  '3 Secrets went from key1 to key2 while 2 servers served them: no server gave key1 up while it was needed, a census proved that nothing is left under it, and without it every server reads all of them',
  [
    ['a rotation that is not proven', { rotate: 3 }, 'exit code 3'],
    ['a key that is dropped too early', { refusal: '' }, 'dropped a key that was in use'],
    ['objects under the old key', { after: under('aesgcm:key1:a') }, 'are 3 under aesgcm:key1:a'],
    ['counts that are not final', { after: { ...under('aesgcm:key2:b'), proven: false } }, 'stored were'],
    ['objects that are lost', { after: under('aesgcm:key2:b', 2) }, 'are 2 under'],
    ['a server that cannot read them', { readBy: ['s1'] }, 'only 1 of 2 servers'],
  ],
)
