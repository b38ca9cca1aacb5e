import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastLogLine } from './last-log-line.ts'

const cases: readonly [name: string, log: string, want: string | undefined][] = [
  ['a complaint comes before whatever followed it', 'a\nstrata: wrong port\n    at x\n', 'wrong port'],
  ['the last of several complaints counts', 'strata: one\nstrata: two\n', 'two'],
  ['without one, the last line', 'a\nb\n\n', 'b'],
  ['silence is silence', '\n', undefined],
]
for (const [name, log, want] of cases) test(`last words: ${name}`, () => assert.equal(lastLogLine(log), want))
