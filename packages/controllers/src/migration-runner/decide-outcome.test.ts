import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../migrator/index.ts'
import { decideOutcome, type EndedRun, type RunOutcome } from './decide-outcome.ts'

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
      message: '1/4 not yet migrated. migration encountered unhandled error: n/o: Denied: no',
    },
  ],
  [
    'M6, Q10: of several, the first',
    ended('incomplete', quarantine(3)),
    0,
    {
      do: 'fail',
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
    { do: 'fail', message: '1/4 not yet migrated. migration encountered unhandled error: b' },
  ],
  ['paused', ended('paused'), 0, { do: 'stop' }],
  ['cancelled', ended('cancelled'), 0, { do: 'stop' }],
]
for (const [name, run, failures, want] of cases) {
  test(`outcome: ${name}`, () => assert.deepEqual(decideOutcome(run, failures), want))
}
