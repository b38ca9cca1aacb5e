import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backupName, decideBackups } from './decide-backups.ts'

const nowMs = Date.parse('2026-11-15T23:10:07.123Z')
const dayMs = 86_400_000

test('audit backups: are named after the log and the time', () => {
  assert.equal(backupName('audit.log', nowMs), 'audit-2026-11-15T23-10-07.123.log')
  assert.equal(backupName('audit', nowMs), 'audit-2026-11-15T23-10-07.123')
})

const old = [0, 1, 2, 3].map((days) => backupName('audit.log', nowMs - days * dayMs))
const others = ['audit.log', 'audit-notes.log', 'audit-2026-11-15.log', 'other-2026-11-15T23-10-07.123.log']
const cases: ReadonlyArray<[name: string, maxAgeDays: number, maxBackups: number, want: readonly number[]]> =
  [
    ['all stay without limits', 0, 0, []],
    ['the oldest go when there are too many', 0, 2, [2, 3]],
    ['those that are too old go', 2, 0, [3]],
    ['either is enough', 2, 3, [3]],
    ['nothing that is not ours', 1, 1, [1, 2, 3]],
  ]
for (const [name, maxAgeDays, maxBackups, want] of cases) {
  test(`audit backups: ${name}`, () => {
    const found = decideBackups('audit.log', [...others, ...old.toReversed()], {
      maxAgeDays,
      maxBackups,
      nowMs,
    })
    assert.deepEqual(
      found,
      want.map((index) => old[index]),
    )
  })
}
