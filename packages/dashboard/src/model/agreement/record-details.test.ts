import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nowMs, observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { statusOf } from '../fleet-facts.ts'
import { describeRecord } from './record-details.ts'
import { decideHistory } from './record-events.ts'

const split = recordOf('things', { b: 'v1', a: 'v2' })
const { servers } = statusOf(observedFleet(['a', 'b'], [split]), nowMs)

test('record: entries are in the order of the columns, and servers have their names', () => {
  const { entries } = describeRecord(split, servers)
  assert.deepEqual(
    entries.map(({ server, writes, key }) => [server, writes, key]),
    [
      ['S1 (a)', 'v2', undefined],
      ['S2 (b)', 'v1', undefined],
    ],
  )
})

test('record: of what may be stored, only the newest version that is written is not old', () => {
  const { persisted } = describeRecord(split, servers)
  const old = Object.fromEntries(persisted.map(({ version, isOld }) => [version, isOld]))
  assert.deepEqual(old, { v1: true, v2: false })
})

test('record: the fence is closed only if the condition says so', () => {
  assert.equal(describeRecord(split, servers).fence.isClosed, true)
  assert.equal(
    describeRecord(recordOf('things', { a: 'v1' }, { conditions: [] }), servers).fence.isClosed,
    false,
  )
})

test('record: its history begins with the latest, whatever field has the time, and is not endless', () => {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`
  const early = { metadata: { name: 'early' }, eventTime: at(0) }
  const many = Array.from({ length: 40 }, (_, index) => ({
    metadata: { name: `event-${index}` },
    lastTimestamp: at(index + 1),
  }))
  const history = decideHistory([early, ...many])
  assert.equal(history[0]?.key, 'event-39')
  assert.equal(history.length, 30)
  assert.equal(decideHistory([many[0] ?? early, early]).at(-1)?.at, at(0))
})
