import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from '@strata/api'
import { decideConditions, failureMessage, type Saying, waitingIn } from './decide-conditions.ts'
import type { ViewedCondition } from './migration-view.ts'

const before = '2026-01-01T00:00:00Z'
const now = '2026-01-01T00:01:00Z'
const own = 'storagemigration.k8s.io'
const versioned = 'migration.k8s.io'

const running = (message = 'The migration is running', lastTransitionTime = now): ViewedCondition => ({
  ...{ type: 'Running', status: 'True', reason: 'MigrationRunning', message, lastTransitionTime },
})
const over: ViewedCondition = {
  ...{ type: 'Running', status: 'False', reason: 'MigrationCompleted', message: 'Migration completed' },
  lastTransitionTime: now,
}
const theirs: ViewedCondition = {
  type: 'Interesting',
  status: 'True',
  reason: 'Yes',
  lastTransitionTime: before,
}
const counted = (left: number, total: number): Saying => ({ kind: 'running', counts: { left, total } })

const ownCases: ReadonlyArray<
  [name: string, was: readonly ViewedCondition[], saying: Saying, want: readonly ViewedCondition[]]
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
    { kind: 'running', counts: { left: 1, total: 2 }, because: 'too many requests' },
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
    { kind: 'failed', message: 'm' },
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
for (const [name, was, saying, want] of ownCases) {
  test(`conditions: ${name}`, () => assert.deepEqual(decideConditions(own, was, saying, now), want))
}

const said = (type: string, more: Partial<ViewedCondition> = {}): ViewedCondition => ({
  ...{ type, status: 'True', lastUpdateTime: now, ...more },
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
    { kind: 'running', because: 'b' },
    [said('Running', { message: 'transient error: b' })],
  ],
  ['it succeeds: only that is said', [said('Running')], { kind: 'succeeded' }, [said('Succeeded')]],
  [
    'Q12: it fails; what others say stays',
    [theirs, said('Running')],
    { kind: 'failed', message: 'm' },
    [theirs, said('Failed', { message: 'm' })],
  ],
  [
    'it had ended, and runs no more',
    [said('Running'), said('Failed', { lastUpdateTime: before })],
    { kind: 'over' },
    [said('Failed', { lastUpdateTime: before })],
  ],
]
for (const [name, was, saying, want] of versionedCases) {
  test(`conditions, migration.k8s.io: ${name}`, () =>
    assert.deepEqual(decideConditions(versioned, was, saying, now), want))
}

test('conditions: M11: why it has failed, and how much was left', () => {
  assert.equal(failureMessage('e'), 'migration encountered unhandled error: e')
  assert.equal(
    failureMessage('e', { left: 1, total: 2 }),
    '1/2 not yet migrated. migration encountered unhandled error: e',
  )
})

for (const group of ['migration.k8s.io', 'storagemigration.k8s.io'] as const) {
  test(`conditions: ${group}: what is waited for can be read back, and goes when it is over`, () => {
    const counts = { left: 3, total: 3 }
    const waiting = decideConditions(group, [], { kind: 'running', counts, because: 'not served: a; b' }, now)
    assert.equal(waitingIn(waiting[0]?.message), 'not served: a; b')
    const moving = decideConditions(group, waiting, { kind: 'running', counts }, now)
    assert.equal(waitingIn(moving[0]?.message), undefined)
  })
}

for (const group of ['migration.k8s.io', 'storagemigration.k8s.io'] as const) {
  test(`conditions: ${group}: paused: it does not run, has not ended, and says how to go on`, () => {
    const before = decideConditions(group, [], { kind: 'running' }, 'then')
    const paused = decideConditions(group, before, { kind: 'paused', next: 'kubectl …' }, 'now')
    const message = 'The migration is paused; to go on: kubectl …'
    const said = { type: 'Running', status: 'False', reason: 'MigrationPaused', message }
    assert.deepEqual(
      paused.map(({ lastTransitionTime, lastUpdateTime, ...each }) => each),
      [said],
    )
    assert.equal(paused[0]?.lastTransitionTime ?? paused[0]?.lastUpdateTime, 'now')
    assert.equal(stateOf(paused), 'Paused')
    const again = decideConditions(group, paused, { kind: 'running' }, 'later')
    assert.equal(stateOf(again), 'Running')
    assert.equal(stateOf(), 'Unknown')
  })
}
