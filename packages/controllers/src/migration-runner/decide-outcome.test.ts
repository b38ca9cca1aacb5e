import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../migrator/index.ts'
import {
  decideInterruption,
  decideOutcome,
  type EndedRun,
  failuresAfter,
  type Interruption,
  type RunOutcome,
} from './decide-outcome.ts'

const progress = { total: 4, settled: 3, quarantined: 0 } as EndedRun['progress']
const ended = (outcome: Outcome, more: Partial<EndedRun> = {}): EndedRun => ({
  ...{ outcome, because: 'b', progress, quarantine: { total: 0, objects: [] }, ...more },
})
const denied = { namespace: 'n', name: 'o', reason: 'Denied', message: 'no' } as const
const quarantine = (total: number) => ({ quarantine: { total, objects: [denied] } })

const cases: ReadonlyArray<[name: string, run: EndedRun, failures: number, want: RunOutcome]> = [
  ['M1: a success is one', ended('succeeded'), 0, { do: 'succeed' }],
  [
    'a target that moved is waited for, however often',
    ended('aborted'),
    99,
    { do: 'again', afterMs: 1_000, because: 'b', isFailure: false },
  ],
  [
    'M6, Q10: an object that was set aside fails it, and is named',
    ended('incomplete', quarantine(1)),
    0,
    {
      do: 'fail',
      failure: 'Incomplete',
      message: '1/4 not yet migrated. migration encountered unhandled error: n/o: Denied: no',
    },
  ],
  [
    'M6, Q10: of several, the first',
    ended('incomplete', quarantine(3)),
    0,
    {
      do: 'fail',
      failure: 'Incomplete',
      message:
        '3/4 not yet migrated. migration encountered unhandled error: n/o: Denied: no (and 2 more, see status.quarantine)',
    },
  ],
  [
    'something still writes otherwise: it may pass',
    ended('incomplete'),
    0,
    { do: 'again', afterMs: 10_000, because: 'b', isFailure: true },
  ],
  [
    'Q2: a run that could not go on is not the end of the migration',
    ended('failed'),
    1,
    { do: 'again', afterMs: 20_000, because: 'b', isFailure: true },
  ],
  [
    'X1: nor does it go on for ever',
    ended('failed'),
    2,
    {
      do: 'fail',
      failure: 'Failed',
      message: '1/4 not yet migrated. migration encountered unhandled error: b',
    },
  ],
  [
    'X1: something still writes otherwise, and does not stop',
    ended('incomplete'),
    2,
    {
      ...{ do: 'fail', failure: 'Incomplete' },
      message: '1/4 not yet migrated. migration encountered unhandled error: b',
    },
  ],
  ['paused', ended('paused'), 0, { do: 'stop' }],
  ['cancelled', ended('cancelled'), 0, { do: 'stop' }],
]
for (const [name, run, failures, want] of cases) {
  test(`outcome: ${name}`, () => assert.deepEqual(decideOutcome(run, failures), want))
}

const inARow: ReadonlyArray<[name: string, outcome: Outcome, before: number, after: number]> = [
  ['one more failed', 'failed', 1, 2],
  ['something still writes otherwise', 'incomplete', 0, 1],
  ['a target that moved: what failed was other work', 'aborted', 2, 0],
  ['a user has paused it, and may have fixed the cause', 'paused', 2, 0],
  ['a success', 'succeeded', 2, 0],
]
for (const [name, outcome, before, after] of inARow) {
  test(`failures in a row: ${name}`, () =>
    assert.equal(failuresAfter(decideOutcome(ended(outcome), before), before), after))
}

const minute = 60_000
const interruptions: ReadonlyArray<[name: string, forMs: number, failures: number, want: Interruption]> = [
  ['Q2: for a moment', 0, 2, { do: 'again' }],
  ['for some minutes, whatever was before', 9 * minute, 2, { do: 'again' }],
  ['for as long as a run may take', 10 * minute, 0, { do: 'count' }],
  [
    'Q3: for as long as three of them',
    10 * minute,
    2,
    { do: 'fail', failure: 'Failed', message: 'migration encountered unhandled error: b' },
  ],
]
for (const [name, forMs, failures, want] of interruptions) {
  test(`interrupted: ${name}`, () => assert.deepEqual(decideInterruption('b', forMs, failures), want))
}
