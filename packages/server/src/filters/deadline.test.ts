import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideTimeoutMs, maxDurationMs } from './deadline.ts'

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

const most: ReadonlyArray<[verb: string, group: string, resource: string, want: number]> = [
  ['list', '', 'configmaps', 60_000],
  ['create', '', 'configmaps', 34_000],
  ['create', 'strata.dev', 'storagereencodes', 34_000],
  // However much is stored: what reads all of it would otherwise never be answered.
  ['create', 'strata.dev', 'storagecensuses', 600_000],
  ['create', 'strata.dev', 'upgradereviews', 600_000],
  ['create', 'example.dev', 'storagecensuses', 34_000],
]
for (const [verb, group, resource, want] of most) {
  test(`timeout: ${verb} of ${resource}.${group} takes at most ${want} ms`, () => {
    const target = { group, resource, versionName: 'v1', namespace: '', subresource: '', name: '' }
    assert.equal(maxDurationMs({ verb, target, path: '/', query: new URLSearchParams() }), want)
  })
}
