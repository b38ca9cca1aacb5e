import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastLogLine } from './last-log-line.ts'

const cases: readonly [name: string, log: string, want: string | undefined][] = [
  ['an error comes before the lines after it', 'a\nstrata: wrong port\n    at x\n', 'wrong port'],
  ['the last of several errors counts', 'strata: one\nstrata: two\n', 'two'],
  ['without one, the last line', 'a\nb\n\n', 'b'],
  ['an empty log has none', '\n', undefined],
]
for (const [name, log, want] of cases)
  test(`last log line: ${name}`, () => assert.equal(lastLogLine(log), want))
