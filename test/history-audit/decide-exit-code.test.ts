import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideExitCode } from './decide-exit-code.ts'

const clean = { exceptions: 0, whole: true, unseen: 0, ambiguous: 0 }

const cases: ReadonlyArray<[name: string, found: Partial<typeof clean>, code: number]> = [
  ['all is as it was recorded', {}, 0],
  ['something is not', { exceptions: 1 }, 1],
  ['some of it has been compacted', { whole: false }, 2],
  ['some of it is under a key that was not given', { unseen: 1 }, 2],
  ['some of it has no known writer', { ambiguous: 1 }, 2],
  ['exceptions count, whatever else could not be seen', { exceptions: 1, whole: false, unseen: 2 }, 1],
  ['exceptions count, also beside ambiguous writes', { exceptions: 1, ambiguous: 3 }, 1],
]

for (const [name, found, code] of cases) {
  test(`exit code of the history audit: ${name}`, () =>
    assert.equal(decideExitCode({ ...clean, ...found }), code))
}
