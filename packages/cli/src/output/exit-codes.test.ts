import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Acceptance,
  acceptedExit,
  acceptedExitOfAll,
  type Ended,
  type ExitWord,
  exitCodes,
  exitCodesHelp,
  worstOf,
} from './exit-codes.ts'

const rows: readonly [words: readonly ExitWord[], want: ExitWord][] = [
  // A script that checks for 0 would continue although nothing was checked.
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

const accepted: readonly [word: ExitWord, accept: Acceptance, want: number][] = [
  ['proven', 'proven', 0],
  ['observedClean', 'proven', 3],
  ['observedClean', 'observed-clean', 0],
  ['unknown', 'observed-clean', 6],
  ['unknown', 'unknown', 0],
  ['observedClean', 'unknown', 0],
  ['incomplete', 'unknown', 1],
  ['aborted', 'unknown', 4],
  ['stopped', 'unknown', 130],
]
for (const [word, accept, want] of accepted) {
  test(`exit code of ${word} with --accept ${accept}: ${want}`, () =>
    assert.equal(acceptedExit(word, accept), want))
}

const done = (exit: ExitWord): Ended => ({ exit, isSuccess: true })
const several: readonly [ended: readonly Ended[], accept: Acceptance, want: number][] = [
  [[], 'unknown', 6],
  [[done('proven'), done('observedClean')], 'proven', 3],
  [[done('proven'), done('observedClean')], 'observed-clean', 0],
  [[done('unknown'), done('observedClean')], 'observed-clean', 6],
  [[done('unknown'), done('observedClean')], 'unknown', 0],
  // A write was sent, and no answer came: whatever the user accepts, nothing says that it was done.
  [[done('unknown'), { exit: 'unknown', isSuccess: false }], 'unknown', 6],
  [[done('observedClean'), { exit: 'incomplete', isSuccess: false }], 'observed-clean', 1],
]
for (const [ended, accept, want] of several) {
  const names = ended.map(({ exit, isSuccess }) => (isSuccess ? exit : `${exit} (not done)`)).join(', ')
  test(`exit code of ${names || 'nothing'} with --accept ${accept}: ${want}`, () =>
    assert.equal(acceptedExitOfAll(ended, accept), want))
}

test('exit codes: each has its own number, and the help has them all', () => {
  // A rehearsal has its own name and shares the number: a script that reads names must not take it for a proof.
  const { rehearsed, nothingToDo, unknownRelease, ...others } = exitCodes
  // The help is that of commands that name no release.
  assert.deepEqual([rehearsed, nothingToDo, unknownRelease], [0, 0, 7])
  const codes = Object.values(others)
  assert.equal(new Set(codes).size, codes.length)
  for (const code of codes) assert.match(exitCodesHelp, new RegExp(`^  ${code} `, 'm'))
})
