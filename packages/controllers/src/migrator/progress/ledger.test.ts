import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkList } from '../pass/work-list.ts'
import type { MigrationTarget } from '../target/target.ts'
import { emptyLedger, Ledger } from './ledger.ts'
import { decideResume, isBegun, type ResumePoint } from './resume-point.ts'
import { emptyTally } from './tally.ts'

const aside = (name: string) => ({ name, reason: 'Denied', message: 'x'.repeat(2_000) }) as const

test('ledger: the place to go on is the oldest page with something left, with the counts before it', () => {
  const ledger = new Ledger()
  const first = ledger.open(2, 'second')
  const second = ledger.open(1, 'third')
  assert.equal(ledger.state.continueToken, undefined)
  ledger.settle(second, 'migrated')
  ledger.settle(first, 'gone')
  assert.deepEqual([ledger.state.continueToken, ledger.state.tally.gone], [undefined, 0])
  assert.deepEqual([ledger.tally.migrated, ledger.tally.gone, ledger.openPages], [1, 1, 2])
  ledger.settle(first, 'quarantined', aside('a'))
  assert.deepEqual([ledger.state.continueToken, ledger.openPages], ['third', 0])
  assert.deepEqual([ledger.state.tally.migrated, ledger.state.quarantine.total], [1, 1])
  ledger.open(0, undefined)
  assert.equal(ledger.state.isComplete, true)
})

test('ledger: after a listing that began anew nothing is set aside, and what was rewritten stays counted', () => {
  const ledger = new Ledger()
  const page = ledger.open(3, 'next')
  ledger.settle(page, 'migrated')
  ledger.settle(page, 'quarantined', aside('a'))
  ledger.beginAnew()
  const counts = () => [ledger.tally.migrated, ledger.tally.rewrittenBefore, ledger.quarantine.total]
  assert.deepEqual(counts(), [0, 1, 0])
  // Writes under way belong to no page that counts: the ledger remembers only that we have rewritten objects, or may have.
  ledger.settle(page, 'migrated')
  assert.deepEqual(counts(), [0, 2, 0])
  const orphan = ledger.open(4, 'next')
  ledger.beginAnew()
  ledger.settle(orphan, 'perhapsRewritten')
  ledger.settle(orphan, 'alreadyCurrent')
  ledger.settle(orphan, 'overtaken')
  ledger.settle(orphan, 'quarantined', aside('b'))
  assert.deepEqual([...counts(), ledger.tally.alreadyCurrent], [0, 3, 0, 0])
  assert.equal(ledger.state.continueToken, undefined)
})

test('ledger: what was rewritten behind the place to go on is met again, and counted once', () => {
  const before = new Ledger()
  const first = before.open(2, 'second')
  const second = before.open(3, 'third')
  before.settle(first, 'migrated')
  before.settle(second, 'migrated')
  before.settle(second, 'alreadyCurrent')
  const { state } = before
  assert.deepEqual([state.continueToken, state.tally], [undefined, { ...emptyTally, rewrittenBefore: 2 }])
  assert.deepEqual(state.reached, { settled: 3, alreadyCurrent: 1 })
  const ledger = new Ledger(state)
  assert.deepEqual(ledger.reached, state.reached)
  const page = ledger.open(5, undefined)
  for (const each of ['alreadyCurrent', 'migrated'] as const) ledger.settle(page, each)
  // Stopped once more, nothing of it is lost, nor counted twice.
  assert.equal(ledger.state.tally.rewrittenBefore, 3)
  for (let index = 0; index < 3; index++) ledger.settle(page, 'alreadyCurrent')
  assert.deepEqual(ledger.tally, { ...emptyTally, migrated: 3, alreadyCurrent: 2 })
  assert.equal(ledger.state.reached, undefined)
})

test('ledger: what we have rewritten and meet again in a newer state than it was listed in was not overtaken', () => {
  const before = new Ledger()
  const stopped = before.open(5, undefined)
  for (let index = 0; index < 3; index++) before.settle(stopped, 'migrated')
  const ledger = new Ledger(before.state)
  const page = ledger.open(5, undefined)
  for (const settlement of ['overtaken', 'alreadyCurrent', 'overtaken', 'overtaken', 'migrated'] as const) {
    ledger.settle(page, settlement)
  }
  assert.deepEqual(ledger.tally, { ...emptyTally, migrated: 4, overtaken: 1 })
})

test('ledger: what is set aside is counted without end and listed to a number', () => {
  const ledger = new Ledger()
  for (let index = 0; index < 3; index++) {
    const page = ledger.open(70, index === 2 ? undefined : 'next')
    for (let each = 0; each < 70; each++) ledger.settle(page, 'quarantined', aside(`${index}-${each}`))
  }
  const { total, objects } = ledger.quarantine
  assert.deepEqual([total, objects.length, objects[0]?.message.length], [210, 100, 500])
})

test('work list: what is due comes first, in its order, and what is not due waits', () => {
  const list = new WorkList<string>()
  for (let index = 0; index < 3_000; index++) list.add(`ready-${index}`)
  list.defer('c', 30)
  list.defer('a', 10)
  list.defer('b', 10)
  assert.deepEqual(
    [list.take(5), list.take(10), list.take(20), list.take(20)],
    ['ready-0', 'a', 'b', 'ready-1'],
  )
  assert.deepEqual([list.nextDueMs, list.deferred, list.ready, list.isEmpty], [30, 1, 2_998, false])
  let last: string | undefined
  for (let each = list.take(20); each !== undefined; each = list.take(20)) last = each
  assert.equal(last, 'ready-2999')
  assert.equal(list.take(30), 'c')
  assert.ok(list.isEmpty)
})

const target: MigrationTarget = {
  resource: { group: 'g', resource: 'r' },
  how: 'record',
  fenced: true,
  encodingVersion: 'g/v2',
  epoch: 3,
}
const page = new Ledger()
page.settle(page.open(1, 'token'), 'migrated')
const saved: ResumePoint = { target, finished: [], ledger: page.state, total: 9 }

test('resume: only for the target that it was saved for', () => {
  assert.deepEqual(decideResume(target, saved), saved)
  assert.equal(isBegun(decideResume(target, saved)), true)
  for (const other of [
    { ...target, epoch: 4 },
    { ...target, encodingVersion: 'g/v1' },
  ]) {
    assert.equal(isBegun(decideResume(other, saved)), false)
  }
  assert.equal(isBegun(decideResume(target, undefined)), false)
})

test('resume: where nothing is fenced, a verifying pass begins anew and the first one is gone on with', () => {
  const unfenced: MigrationTarget = { resource: target.resource, how: 'discovery', fenced: false, hash: 'h' }
  const inFirst = { ...saved, target: unfenced }
  assert.deepEqual(decideResume(unfenced, inFirst), inFirst)
  const clean = { ...emptyTally, alreadyCurrent: 5 }
  const inThird = {
    ...inFirst,
    finished: [
      { ...clean, migrated: 7 },
      { ...clean, migrated: 2 },
    ],
  }
  const resumed = decideResume(unfenced, inThird)
  assert.deepEqual(resumed.ledger, emptyLedger)
  // Rewritten objects stay counted.
  assert.deepEqual(resumed.finished, [{ ...clean, migrated: 7, rewrittenBefore: 3 }])
  const fenced = { ...inThird, target }
  assert.deepEqual(decideResume(target, fenced), fenced)
})
