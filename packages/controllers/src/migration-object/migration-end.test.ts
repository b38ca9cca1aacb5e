import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationProgress } from '@strata/api'
import { migrationGroups, viewOf } from '@strata/insight'
import { endOf, failureOfOutcome, type MigrationEnd } from './migration-end.ts'
import { statusPatch } from './status-patch.ts'

const unhandled = 'migration encountered unhandled error: '
const rows: readonly [outcome: MigrationEnd['outcome'], because: string, quarantined?: number][] = [
  ['aborted', `${unhandled}it was cancelled`],
  ['aborted', `3/7 not yet migrated. ${unhandled}it was cancelled`],
  ['aborted', `${unhandled}the target moved`],
  ['failed', `${unhandled}no server answers`],
  ['incomplete', `${unhandled}default/a: Denied: the target moved`, 1],
  ['aborted', 'the target moved: epoch 1 became epoch 2', 1],
  ['incomplete', 'objects in another encoding keep coming'],
]
for (const group of migrationGroups) {
  for (const [outcome, message, quarantined = 0] of rows) {
    test(`migration end: ${group}: ${outcome} is read back, whatever the message (${message})`, () => {
      const stage = { kind: 'failed', failure: failureOfOutcome(outcome), message } as const
      const before = viewOf(group, { metadata: {}, status: { quarantined } })
      const status = { quarantined, ...statusPatch(before, { stage }, '2026-01-01T00:00:00Z') }
      assert.deepEqual(endOf(viewOf(group, { metadata: {}, status })), {
        ...{ outcome, proof: 'unknown', because: message, at: '2026-01-01T00:00:00Z' },
      })
    })
  }
}

const unsaid: readonly [progress: MigrationProgress, want: MigrationEnd['outcome']][] = [
  [{}, 'failed'],
  [{ quarantined: 1 }, 'incomplete'],
]
for (const [progress, want] of unsaid) {
  test(`migration end: a Failed condition of another migrator, ${JSON.stringify(progress)}: ${want}`, () => {
    const conditions = [{ type: 'Failed', status: 'True', message: 'the target moved' }]
    assert.equal(endOf({ conditions, progress })?.outcome, want)
  })
}
