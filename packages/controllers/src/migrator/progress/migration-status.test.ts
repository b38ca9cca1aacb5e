import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateProgress } from '@strata/api'
import type { MigrationTarget } from '../target/target.ts'
import { Ledger } from './ledger.ts'
import { resumeOfStatus, statusOfReport } from './migration-status.ts'
import { computeProgress } from './progress.ts'
import type { ProgressReport } from './progress-reporter.ts'
import { emptyTally } from './tally.ts'

const resource = { group: 'g.dev', resource: 'things' }
const target: MigrationTarget = {
  resource,
  how: 'record',
  fenced: true,
  encodingVersion: 'g.dev/v2',
  epoch: 3,
  epochResourceVersion: '70',
  definition: { uid: 'u', generation: 2, storageVersion: 'v2' },
}
const denied = (name: string) => ({ namespace: 'default', name, reason: 'Denied', message: 'no' }) as const

/** A page that is settled, with one set aside, and another that is not, with one as well. */
function report(): ProgressReport {
  const ledger = new Ledger()
  const first = ledger.open(2, 'second')
  ledger.settle(first, 'migrated')
  ledger.settle(first, 'quarantined', denied('a'))
  const second = ledger.open(2, undefined)
  ledger.settle(second, 'quarantined', denied('b'))
  const { tally, quarantine, state } = ledger
  const tallies = [{ ...emptyTally, migrated: 4 }, tally]
  const facts = { tallies, quarantined: quarantine.total, total: 4, samples: [], parallelism: 4 }
  const resume = { target, finished: tallies.slice(0, 1), ledger: state, total: 4 }
  return { progress: computeProgress(facts), quarantine, resume }
}

test('status of a migration: there and back, over JSON, is where it was', () => {
  const status = statusOfReport(report())
  assert.deepEqual(validateProgress(status, 'status'), [])
  assert.deepEqual([status.epoch, status.migrated, status.quarantined, status.percent], [3, 5, 2, 75])
  assert.deepEqual(
    status.quarantine?.map(({ name }) => name),
    ['a', 'b'],
  )
  // Objects of a page that is not settled will be visited again.
  assert.deepEqual(resumeOfStatus(resource, JSON.parse(JSON.stringify(status))), report().resume)
})

test('status of a migration: what a release has written that counted less is gone on from', () => {
  const status = statusOfReport(report())
  const { tally, ...token } = JSON.parse(status.continueToken ?? '')
  const { perhapsRewritten: _, ...less } = tally
  const continueToken = JSON.stringify({ ...token, tally: less, finished: [less] })
  const resume = resumeOfStatus(resource, { ...status, continueToken })
  assert.deepEqual([resume?.ledger.tally.perhapsRewritten, resume?.finished[0]?.perhapsRewritten], [0, 0])
})

test('status of a migration: what is not ours is begun anew', () => {
  const status = statusOfReport(report())
  for (const continueToken of [undefined, '', 'null', '{}', 'eyJ2IjoibWV0YSJ9', '{"finished":[]}']) {
    const { continueToken: _, ...rest } = status
    const other = continueToken === undefined ? rest : { ...rest, continueToken }
    assert.equal(resumeOfStatus(resource, other), undefined, String(continueToken))
  }
  const { target: _, ...without } = status
  assert.equal(resumeOfStatus(resource, without), undefined)
})
