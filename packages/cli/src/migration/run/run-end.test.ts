import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationEvent, MigrationResult } from '@strata/controllers'
import { Simulation } from '@strata/world/sim'
import type { RecordEnd, SaveOutcome } from '../records/record.ts'
import { endOfRun, eventsOfEnd, hardStop, wantedOf } from './run-end.ts'

type Lost = Parameters<typeof endOfRun>[1]
type End = Pick<MigrationResult, 'outcome' | 'because' | 'proof'>

const rows: readonly [name: string, outcome: End['outcome'], lost: Lost, want: readonly string[]][] = [
  ['a success is one', 'succeeded', undefined, ['succeeded', 'proven', 'as it was']],
  ['Ctrl-C pauses nothing', 'paused', undefined, ['paused', 'proven', 'it was stopped']],
  ['nor does a second one', 'cancelled', undefined, ['paused', 'proven', 'it was stopped']],
  [
    'another process has claimed it',
    'succeeded',
    'taken',
    ['aborted', 'unknown', 'another process has taken it over'],
  ],
  ['a user has cancelled it', 'cancelled', 'deleted', ['aborted', 'unknown', 'it was cancelled']],
  ['a user has paused it', 'paused', 'paused', ['paused', 'unknown', 'it was paused']],
]
for (const [name, outcome, lost, want] of rows) {
  test(`end of a run: ${name}`, () => {
    const end = endOfRun({ outcome, proof: 'proven', because: 'as it was' } as MigrationResult, lost)
    assert.deepEqual([end.outcome, end.proof, end.because], want)
  })
}

const reportRows: readonly [
  ...[outcome: RecordEnd['outcome'], written: SaveOutcome | undefined],
  want: readonly MigrationEvent[],
][] = [
  ['succeeded', 'saved', [{ kind: 'succeeded', proof: 'proven' }]],
  ['succeeded', 'taken', []],
  ['succeeded', 'deleted', []],
  ['succeeded', undefined, []],
  ['incomplete', 'saved', [{ kind: 'failed', message: 'as it was' }]],
  ['aborted', 'saved', [{ kind: 'failed', message: 'as it was' }]],
  ['failed', 'saved', [{ kind: 'paused', because: 'as it was' }]],
  ['paused', 'saved', [{ kind: 'paused' }]],
]
for (const [outcome, written, want] of reportRows) {
  test(`end of a run: ${outcome}, and ${written ?? 'not known to be'} written: the report`, () => {
    assert.deepEqual(eventsOfEnd({ outcome, proof: 'proven', because: 'as it was' }, written), want)
  })
}

test('end of a run: what is wanted between two objects', () => {
  const stop = new AbortController()
  const ask = (lost: Lost) => wantedOf(stop.signal, { lost })
  assert.deepEqual(
    [ask(undefined), ask('paused'), ask('taken'), ask('deleted')],
    ['run', 'pause', 'cancel', 'cancel'],
  )
  stop.abort()
  assert.equal(ask(undefined), 'pause')
})

test('end of a run: after Ctrl-C, writes have some seconds to end', async () => {
  const simulation = new Simulation('hard stop')
  const { clock } = simulation.process('p', { host: 'h' })
  const stop = new AbortController()
  const hard = hardStop(clock, stop.signal)
  stop.abort(new Error('enough'))
  await simulation.run({ untilMs: simulation.nowMs + 4_000 })
  assert.equal(hard.signal.aborted, false)
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  assert.equal(hard.signal.aborted, true)
  hard.dispose()
})
