import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from '@strata/api'
import type { MigrationCondition } from '@strata/insight'
import { decideConditions, failureMessage, type Stage } from './decide-conditions.ts'

const before = '2026-01-01T00:00:00Z'
const now = '2026-01-01T00:01:00Z'
const own = 'storagemigration.k8s.io'
const versioned = 'migration.k8s.io'

const running = (message = 'The migration is running', lastTransitionTime = now): MigrationCondition => ({
  ...{ type: 'Running', status: 'True', reason: 'MigrationRunning', message, lastTransitionTime },
})
const over: MigrationCondition = {
  ...{ type: 'Running', status: 'False', reason: 'MigrationCompleted', message: 'Migration completed' },
  lastTransitionTime: now,
}
const theirs: MigrationCondition = {
  type: 'Interesting',
  status: 'True',
  reason: 'Yes',
  lastTransitionTime: before,
}
const counted = (left: number, total: number): Stage => ({ kind: 'running', counts: { left, total } })

const ownCases: ReadonlyArray<
  [name: string, was: readonly MigrationCondition[], stage: Stage, want: readonly MigrationCondition[]]
> = [
  ['R1: it begins', [], { kind: 'running' }, [running()]],
  [
    'it goes on since when it began',
    [running('x', before)],
    { kind: 'running' },
    [running(undefined, before)],
  ],
  [
    'M11: how many are left',
    [],
    counted(1, 2),
    [running('The migration is running, 1/2 objects not yet migrated')],
  ],
  ['M11: all of them', [], counted(0, 2), [running('The migration is running, 2 objects verified migrated')]],
  ['of none there is nothing to count', [], counted(0, 0), [running()]],
  [
    'M11: why it waits',
    [],
    { kind: 'running', counts: { left: 1, total: 2 }, waitingFor: 'too many requests' },
    [running('The migration is running, 1/2 objects not yet migrated; transient error: too many requests')],
  ],
  [
    'it succeeds, and something is left to people',
    [],
    { kind: 'succeeded', note: 'not pruned' },
    [
      over,
      {
        ...{ type: 'Succeeded', status: 'True', reason: 'StorageVersionMigrationSucceeded' },
        ...{ message: 'Migration completed; not pruned', lastTransitionTime: now },
      },
    ],
  ],
  [
    'M1: it succeeds, and runs no more',
    [running('x', before)],
    { kind: 'succeeded' },
    [
      over,
      {
        ...{ type: 'Succeeded', status: 'True', reason: 'StorageVersionMigrationSucceeded' },
        ...{ message: 'Migration completed', lastTransitionTime: now },
      },
    ],
  ],
  [
    'M6: it fails, and runs no more; what others say stays',
    [theirs, running('x', before)],
    { kind: 'failed', failure: 'Failed', message: 'm' },
    [
      theirs,
      over,
      {
        ...{ type: 'Failed', status: 'True', reason: 'StorageVersionMigrationFailed', message: 'm' },
        lastTransitionTime: now,
      },
    ],
  ],
  [
    'R7: it had ended, and is said to run no more; the other condition is kept',
    [running('x', before), { type: 'Succeeded', status: 'True', reason: 'r', lastTransitionTime: before }],
    { kind: 'over' },
    [over, { type: 'Succeeded', status: 'True', reason: 'r', lastTransitionTime: before }],
  ],
]
for (const [name, was, stage, want] of ownCases) {
  test(`conditions: ${name}`, () => assert.deepEqual(decideConditions(own, was, stage, now), want))
}

const messages = new Map([
  ['Running', 'The migration is running'],
  ['Succeeded', 'Migration completed'],
  ['Failed', 'm'],
])
const said = (type: string, more: Partial<MigrationCondition> = {}): MigrationCondition => ({
  ...{ type, status: 'True', reason: `Migration${type}`, message: messages.get(type) ?? '' },
  ...{ lastUpdateTime: now, ...more },
})
const versionedCases: typeof ownCases = [
  ['it begins', [], { kind: 'running' }, [said('Running')]],
  [
    'it goes on since when that was said',
    [said('Running', { lastUpdateTime: before })],
    counted(1, 2),
    [said('Running', { lastUpdateTime: before })],
  ],
  [
    'why it waits',
    [],
    { kind: 'running', waitingFor: 'b' },
    [said('Running', { message: 'The migration is running; transient error: b' })],
  ],
  [
    'it waits, and is not as it was asked for',
    [],
    { kind: 'running', waitingFor: 'b', note: 'n' },
    [said('Running', { message: 'The migration is running; transient error: b; n' })],
  ],
  [
    'it succeeds, with the reason, and something is left to people',
    [],
    { kind: 'succeeded', because: 'all is v2', note: 'not pruned' },
    [said('Succeeded', { message: 'all is v2; not pruned' })],
  ],
  ['it succeeds: only that is said', [said('Running')], { kind: 'succeeded' }, [said('Succeeded')]],
  [
    'Q12: it fails; what others say stays',
    [theirs, said('Running')],
    { kind: 'failed', failure: 'Failed', message: 'm' },
    [theirs, said('Failed', { message: 'm' })],
  ],
  [
    'it had ended, and runs no more',
    [said('Running'), said('Failed', { lastUpdateTime: before })],
    { kind: 'over' },
    [said('Failed', { lastUpdateTime: before })],
  ],
]
for (const [name, was, stage, want] of versionedCases) {
  test(`conditions, migration.k8s.io: ${name}`, () =>
    assert.deepEqual(decideConditions(versioned, was, stage, now), want))
}

test('conditions: M11: why it has failed, and how much was left', () => {
  assert.equal(failureMessage('e'), 'migration encountered unhandled error: e')
  assert.equal(
    failureMessage('e', { left: 1, total: 2 }),
    '1/2 not yet migrated. migration encountered unhandled error: e',
  )
})

for (const group of ['migration.k8s.io', 'storagemigration.k8s.io'] as const) {
  test(`conditions: ${group}: paused: it does not run, has not ended, and says how to go on`, () => {
    const before = decideConditions(group, [], { kind: 'running' }, 'then')
    const paused = decideConditions(group, before, { kind: 'paused', next: 'kubectl …' }, 'now')
    const message = 'The migration is paused; to resume it: kubectl …'
    const said = { type: 'Running', status: 'False', reason: 'MigrationPaused', message }
    assert.deepEqual(
      paused.map(({ lastTransitionTime, lastUpdateTime, ...each }) => each),
      [said],
    )
    assert.equal(paused[0]?.lastTransitionTime ?? paused[0]?.lastUpdateTime, 'now')
    assert.equal(stateOf(paused), 'Paused')
    const failed = decideConditions(
      ...([group, before, { kind: 'paused', next: 'kubectl …', failure: 'no answer' }, 'now'] as const),
    )
    const why = 'The migration is paused, because it could not continue: no answer; to resume it: kubectl …'
    assert.equal(failed[0]?.message, why)
    const again = decideConditions(group, paused, { kind: 'running' }, 'later')
    assert.equal(stateOf(again), 'Running')
    assert.equal(stateOf(), 'Unknown')
  })
}
