import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ExitWord, exitCodes, exitCodesHelp, worstOf } from './exit-codes.ts'

const rows: readonly [words: readonly ExitWord[], want: ExitWord][] = [
  // Whoever asks for 0 would go on, and nobody has looked.
  [[], 'unknown'],
  [['proven'], 'proven'],
  [['proven', 'observedClean', 'proven'], 'observedClean'],
  [['rehearsed', 'proven'], 'rehearsed'],
  [['unknown', 'incomplete'], 'incomplete'],
  [['incomplete', 'aborted', 'unknown'], 'aborted'],
  [['notSeen', 'stopped', 'aborted'], 'stopped'],
]
for (const [words, want] of rows) {
  test(`exit code of ${words.join(', ') || 'nothing'}: ${want}`, () => assert.equal(worstOf(words), want))
}

test('exit codes: each has a number of its own, and the help has them all', () => {
  // A rehearsal has a word of its own and shares its number: a script that reads words must not take it for a proof.
  const { rehearsed, ...others } = exitCodes
  assert.equal(rehearsed, 0)
  const codes = Object.values(others)
  assert.equal(new Set(codes).size, codes.length)
  for (const code of codes) assert.match(exitCodesHelp, new RegExp(`^  ${code} `, 'm'))
})
