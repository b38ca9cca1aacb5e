import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideWindow, rowsInSight } from './row-window.ts'

const view = { rows: 500, rowHeight: 36, height: 800 }

test('row window: however long the list, only the rows in sight and a few beside them are drawn', () => {
  for (let offset = -2_000; offset < 20_000; offset += 90) {
    const { from, to, before, after } = decideWindow({ ...view, offset })
    assert.ok(to - from <= 64, `${to - from} rows at ${offset}`)
    assert.equal(before + (to - from) * 36 + after, 500 * 36)
    const [first, last] = [Math.floor(offset / 36), Math.ceil((offset + 800) / 36)]
    assert.ok(from <= Math.max(0, first) || from === 500, `from ${from} at ${offset}`)
    assert.ok(to >= Math.min(500, last), `to ${to} at ${offset}`)
  }
})

test('row window: scrolling by less than a step changes nothing', () => {
  assert.deepEqual(decideWindow({ ...view, offset: 3_600 }), decideWindow({ ...view, offset: 3_610 }))
})

const sights: ReadonlyArray<[offset: number, height: number, first: number, end: number]> = [
  [0, 100, 0, 10],
  [-50, 100, 0, 5],
  [15, 100, 1, 12],
  [-500, 100, 0, 0],
  [10_000, 100, 30, 30],
]
for (const [offset, height, first, end] of sights)
  test(`rows in sight: ${height} px from ${offset} on`, () =>
    assert.deepEqual(rowsInSight({ rows: 30, rowHeight: 10, offset, height }), { first, end }))
