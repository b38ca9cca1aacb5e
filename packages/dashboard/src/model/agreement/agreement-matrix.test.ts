import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nowMs, observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { statusOf } from '../fleet-facts.ts'
import { keepEqual } from '../keep-equal.ts'
import { decideMatrix, type MatrixRow } from './agreement-matrix.ts'

const matrixOf = (records: Parameters<typeof observedFleet>[1], filter = '') =>
  decideMatrix(statusOf(observedFleet(['a', 'b'], records), nowMs), filter)

const things = (writes: Readonly<Record<string, string>>, more = {}) => recordOf('things', writes, more)
const rowOf = (record: ReturnType<typeof things>): MatrixRow | undefined => {
  const { attention, agreed } = matrixOf([record])
  return [...attention, ...agreed][0]
}

const tones: ReadonlyArray<[name: string, record: ReturnType<typeof things>, want: MatrixRow['tone']]> = [
  ['all write the same', things({ a: 'v1', b: 'v1' }), 'agreed'],
  ['servers write different versions', things({ a: 'v2', b: 'v1' }), 'disagreed'],
  ['a server has no entry', things({ a: 'v1' }), 'disagreed'],
  ['a version is written that a server cannot read', things({ a: 'v9', b: 'v1' }), 'alarm'],
]
for (const [name, record, want] of tones)
  test(`matrix: ${name}: ${want}`, () => assert.equal(rowOf(record)?.tone, want))

test('matrix: a cell says what a server writes, what else it reads, and what it serves', () => {
  const [cell] = rowOf(things({ a: 'v2', b: 'v1' }))?.cells ?? []
  assert.deepEqual([cell?.writes, cell?.reads, cell?.serves], ['v2', ['v1'], ['v1']])
})

test('matrix: a version that two groups serve is named once', () => {
  const record = things({ a: 'v1', b: 'v1' })
  const servers = record.status.servers.map((each) => ({
    ...each,
    servedVersions: ['v1', 'events.example.dev/v1'],
  }))
  const [cell] = rowOf({ ...record, status: { ...record.status, servers } })?.cells ?? []
  assert.deepEqual(cell?.serves, ['v1'])
})

test('matrix: the newest version that is written is known, so that others are shown as old', () => {
  assert.equal(rowOf(things({ a: 'v2', b: 'v1' }))?.newest, 'v2')
  assert.equal(rowOf(things({ a: 'v1', b: 'v1' }))?.newest, 'v1')
})

test('matrix: problems come first, the worst at the top; the rest is apart', () => {
  const agreed = ['lamps', 'zones'].map((each) => recordOf(each, { a: 'v1', b: 'v1' }))
  const disagreed = recordOf('beacons', { a: 'v2', b: 'v1' })
  const alarm = recordOf('walls', { a: 'v9', b: 'v1' })
  const matrix = matrixOf([...agreed, disagreed, alarm])
  assert.deepEqual(
    [matrix.attention, matrix.agreed].map((rows) => rows.map(({ resource }) => resource.split('.')[0])),
    [
      ['walls', 'beacons'],
      ['lamps', 'zones'],
    ],
  )
})

test('matrix: a filter chooses by name', () => {
  const records = ['lamps', 'zones'].map((each) => recordOf(each, { a: 'v1', b: 'v1' }))
  assert.deepEqual(
    matrixOf(records, ' LAM ').agreed.map(({ resource }) => resource),
    ['lamps.example.dev'],
  )
})

test('matrix: with 500 resources and 9 servers, one change makes one new row', () => {
  const servers = [...'abcdefghi']
  const all = (version: string) => Object.fromEntries(servers.map((each) => [each, version]))
  const records = Array.from({ length: 500 }, (_, index) => recordOf(`kind${index}`, all('v1')))
  const rowsAt = (list: typeof records, atMs: number) =>
    decideMatrix(statusOf(observedFleet(servers, list), atMs)).agreed
  const before = rowsAt(records, nowMs)
  const later = keepEqual(before, rowsAt(structuredClone(records), nowMs + 1_000), ({ resource }) => resource)
  assert.equal(later, before, 'time goes on, and no row is new')
  const changed = records.with(250, recordOf('kind250', all('v2')))
  const after = keepEqual(before, rowsAt(changed, nowMs), ({ resource }) => resource)
  assert.equal(after.filter((row, index) => row !== before[index]).length, 1)
})
