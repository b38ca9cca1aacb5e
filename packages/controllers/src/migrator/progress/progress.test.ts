import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeProgress, type ProgressFacts, type Sample, withSample } from './progress.ts'
import { begunAnew, emptyTally, settledOf, type Tally } from './tally.ts'

const tally = (more: Partial<Tally>): Tally => ({ ...emptyTally, ...more })
const facts: ProgressFacts = {
  tallies: [emptyTally],
  quarantined: 0,
  total: 1_000,
  samples: [],
  parallelism: 4.7,
}
const samples: readonly Sample[] = [
  { atMs: 0, settled: 0 },
  { atMs: 4_000, settled: 200 },
]

type Row = readonly [name: string, facts: Partial<ProgressFacts>, wanted: Record<string, unknown>]
const cases: readonly Row[] = [
  ['at the start', {}, { pass: 1, percent: 0, etaSeconds: undefined, parallelism: 4 }],
  [
    'on the way',
    { tallies: [tally({ migrated: 150, alreadyCurrent: 50 })], samples },
    { settled: 200, percent: 20, ratePerSecond: 50, etaSeconds: 16 },
  ],
  ['almost there is not there', { tallies: [tally({ migrated: 999 })] }, { percent: 99 }],
  ['there', { tallies: [tally({ migrated: 990, quarantined: 10 })] }, { percent: 100, etaSeconds: 0 }],
  ['more than was counted', { tallies: [tally({ migrated: 1_200 })] }, { total: 1_200, percent: 100 }],
  ['nothing there', { total: 0 }, { percent: 100, etaSeconds: 0 }],
  [
    'the total is unknown',
    { total: undefined },
    { total: undefined, percent: undefined, etaSeconds: undefined },
  ],
  [
    'a second pass counts what it does, and keeps what the first one found',
    { tallies: [tally({ migrated: 900, alreadyCurrent: 100 }), tally({ alreadyCurrent: 300, migrated: 2 })] },
    { pass: 2, settled: 302, migrated: 902, alreadyCurrent: 100, percent: 30 },
  ],
  [
    'what may have been rewritten counts as that, once',
    { tallies: [tally({ migrated: 900, perhapsRewritten: 2 }), tally({ perhapsRewritten: 1 })] },
    { pass: 2, migrated: 902 },
  ],
  [
    'gone on with from an earlier place: reported progress does not decrease',
    {
      tallies: [tally({ migrated: 90, alreadyCurrent: 10, rewrittenBefore: 60 })],
      reached: { settled: 200, alreadyCurrent: 50 },
    },
    { settled: 200, migrated: 150, alreadyCurrent: 50, percent: 20 },
  ],
  [
    'the same, and most were deleted meanwhile: that is not all of them',
    { tallies: [tally({ migrated: 90 })], total: 150, reached: { settled: 200, alreadyCurrent: 0 } },
    { settled: 149, total: 150, percent: 99 },
  ],
  [
    'a listing that began anew',
    { tallies: [begunAnew(tally({ migrated: 400, gone: 3 }))] },
    { settled: 0, migrated: 400, percent: 0 },
  ],
]
for (const [name, more, wanted] of cases) {
  test(`progress: ${name}`, () => {
    const progress: Record<string, unknown> = { ...computeProgress({ ...facts, ...more }) }
    assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((key) => [key, progress[key]])), wanted)
  })
}

test('progress: the rate is that of the last half minute', () => {
  let kept: readonly Sample[] = []
  for (let second = 0; second <= 120; second++)
    kept = withSample(kept, { atMs: second * 1_000, settled: second * second })
  assert.equal(kept.length, 31)
  const { ratePerSecond } = computeProgress({ ...facts, samples: kept })
  assert.equal(ratePerSecond, (120 ** 2 - 90 ** 2) / 30)
})

test('progress: whatever became of an object, it is settled', () => {
  const each: Tally = {
    ...emptyTally,
    migrated: 1,
    alreadyCurrent: 1,
    overtaken: 1,
    gone: 1,
    perhapsRewritten: 1,
    quarantined: 1,
    rehearsed: 1,
  }
  assert.equal(settledOf(each), 7)
})
