import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideTimeoutMs } from './deadline.ts'

const cases: ReadonlyArray<[asked: string | null, want: number | string]> = [
  [null, 60_000],
  ['', 60_000],
  ['10s', 10_000],
  ['1m30s', 60_000],
  ['1.5s', 1500],
  ['.5s', 500],
  ['250ms', 250],
  ['0', 60_000],
  ['0s', 60_000],
  ['-1s', 60_000],
  ['+2s', 2000],
  ['10', 'time: missing unit in duration "10"'],
  ['10x', 'time: unknown unit "x" in duration "10x"'],
  ['abc', 'time: invalid duration "abc"'],
  ['s', 'time: invalid duration "s"'],
  ['-', 'time: invalid duration "-"'],
  ['1s2', 'time: missing unit in duration "1s2"'],
  ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
]
for (const [asked, want] of cases) {
  test(`timeout: ${asked ?? 'nothing'}`, () => {
    if (typeof want === 'number') return assert.equal(decideTimeoutMs(asked, 60_000), want)
    assert.throws(() => decideTimeoutMs(asked, 60_000), {
      message: `invalid timeout specified in the request URL - ${want}`,
      code: 400,
    })
  })
}
