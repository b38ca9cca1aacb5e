import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCount, progressBar, progressText, type ShownProgress, shownStatus } from './shown-progress.ts'

const half: ShownProgress = { settled: 1140, total: 2000, percent: 57, ratePerSecond: 310.4, quarantined: 0 }
const rows: readonly [name: string, shown: ShownProgress, want: string][] = [
  ['half-way', { ...half, etaSeconds: 3 }, '57 %, 1,140 of 2,000, 310/s, 3s left'],
  ['some set aside', { ...half, quarantined: 1 }, '57 %, 1,140 of 2,000, 310/s, 1 set aside'],
  ['the total is unknown', { settled: 7, ratePerSecond: 0, quarantined: 0 }, '7'],
  ['the second pass', { ...half, pass: 2 }, 'pass 2, 57 %, 1,140 of 2,000, 310/s'],
  [
    'at the end nothing is left',
    { ...half, settled: 2000, percent: 100, etaSeconds: 0 },
    '100 %, 2,000 of 2,000, 310/s',
  ],
]
for (const [name, shown, want] of rows) {
  test(`progress: ${name}`, () => assert.equal(progressText(shown), want))
}

test('progress: by the status of an object, as far as it goes', () => {
  assert.deepEqual(shownStatus({}), { settled: 0, ratePerSecond: 0, quarantined: 0 })
  const status = { total: 10, migrated: 8, alreadyCurrent: 4, percent: 90, ratePerSecond: 2, etaSeconds: 1 }
  assert.deepEqual(shownStatus(status), {
    ...{ settled: 10, total: 10, percent: 90, ratePerSecond: 2, etaSeconds: 1, quarantined: 0 },
  })
})

test('progress: a bar is full at a hundred only', () => {
  assert.equal(progressBar(undefined, 10), '')
  assert.equal(progressBar(0, 4), '[....]')
  assert.equal(progressBar(99, 4), '[###.]')
  assert.equal(progressBar(100, 4), '[####]')
})

test('counts: in groups of three', () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(formatCount), ['0', '999', '1,000', '1,234,567'])
})
