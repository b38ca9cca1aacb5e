import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ExitWord, exitCodes, exitCodesHelp, worstOf } from './exit-codes.ts'

const rows: readonly [words: readonly ExitWord[], want: ExitWord][] = [
  [[], 'proven'],
  [['proven', 'observedClean', 'proven'], 'observedClean'],
  [['unknown', 'incomplete'], 'incomplete'],
  [['incomplete', 'aborted', 'unknown'], 'aborted'],
  [['notSeen', 'stopped', 'aborted'], 'stopped'],
]
for (const [words, want] of rows) {
  test(`exit code of ${words.join(', ') || 'nothing'}: ${want}`, () => assert.equal(worstOf(words), want))
}

test('exit codes: each has a number of its own, and the help has them all', () => {
  const codes = Object.values(exitCodes)
  assert.equal(new Set(codes).size, codes.length)
  for (const code of codes) assert.match(exitCodesHelp, new RegExp(`^  ${code} `, 'm'))
})
