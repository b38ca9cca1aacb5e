import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../output/render-text.ts'
import type { Report } from '../output/report.ts'
import { type ClusterOutcome, mergeReports } from './merge-reports.ts'

const report = (rows: readonly (readonly string[])[], more: Partial<Report> = {}): Report => ({
  command: 'verify',
  sections: [{ table: { columns: ['RESOURCE', 'VERDICT'], rows } }, { notes: ['of one cluster'] }],
  results: [{ level: 'passed', rule: 'proven', subject: 'lamps', message: 'fine' }],
  document: { resources: [] },
  ...more,
})
const fine: ClusterOutcome = { label: 'a', report: report([['lamps', 'proven']]), exit: 0 }
const stale: ClusterOutcome = {
  label: 'b',
  report: report([['lamps', 'stale']], {
    results: [
      {
        level: 'failed',
        rule: 'stale',
        subject: 'lamps',
        message: 'two\nlines',
        fix: 'strata migrate lamps',
      },
    ],
  }),
  exit: 1,
}
const unseen: ClusterOutcome = { label: 'c', unseen: 'no answer', exit: 5 }

test('several clusters: one table, what is not fine, one summary, the worst exit code', () => {
  const { report: merged, exit } = mergeReports('verify', [fine, stale, unseen])
  assert.equal(exit, 5)
  assert.equal(
    renderText(merged.sections),
    `CONTEXT   RESOURCE   VERDICT
a         lamps      proven
b         lamps      stale
c         not seen   -

b: lamps: two
  lines
  Next: strata migrate lamps
c: not seen: no answer

1 of 3 clusters ended with exit code 0, and 1 was not seen.`,
  )
  assert.deepEqual(
    merged.results.map(({ level, subject }) => [level, subject]),
    [
      ['passed', 'a/lamps'],
      ['failed', 'b/lamps'],
      ['unknown', 'c/cluster'],
    ],
  )
  assert.deepEqual(merged.document, {
    contexts: [
      { context: 'a', exitCode: 0, resources: [] },
      { context: 'b', exitCode: 1, resources: [] },
      { context: 'c', exitCode: 5, unseen: 'no answer' },
    ],
  })
})

test('several clusters: each has a row, also without rows of its own, and if none was seen', () => {
  const overview = { columns: ['AGREED'], rows: [] }
  const empty = (label: string, exit: number): ClusterOutcome => ({
    label,
    report: report([], { overview }),
    exit,
  })
  const rowsOf = (...outcomes: readonly ClusterOutcome[]) =>
    mergeReports('verify', outcomes).report.sections[0]?.table?.rows
  assert.deepEqual(rowsOf(empty('a', 0), empty('b', 6)), [
    ['a', 'nothing to report'],
    ['b', '-'],
  ])
  assert.deepEqual(rowsOf(unseen), [['c', 'not seen']])
})

test('several clusters: the rule of one that was not seen is named as in every other report', () => {
  const { results } = mergeReports('verify', [unseen]).report
  assert.deepEqual(
    results.map(({ level, rule }) => [level, rule]),
    [['unknown', 'not-seen']],
  )
})
