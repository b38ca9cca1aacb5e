import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlagProblem, parseFlags } from './flags.ts'

const refused: ReadonlyArray<[args: string, says: RegExp]> = [
  ['--store mysql', /--store mysql: choose sqlite or etcd/],
  ['--rounds 5', /--rounds 5: give a whole number, 6 or more/],
  ['--rounds 7.5', /--rounds 7.5/],
  ['--against https://there', /--against: give a --token/],
  ['--token t', /--token, --ca: for --against/],
  ['--build strata.mjs', /--build strata.mjs: give NAME=FILE/],
  ['--pears', /--pears/],
]
for (const [args, says] of refused) {
  test(`flags: ${args} is refused`, () => {
    assert.throws(
      () => parseFlags(args.split(' ')),
      (error) => error instanceof FlagProblem && says.test(error.message),
    )
  })
}

test('flags: another server, with its token', () => {
  const { against } = parseFlags(['--against', 'https://there', '--token', 't'])
  assert.deepEqual(against, { url: 'https://there', token: 't' })
})
