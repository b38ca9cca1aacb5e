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
  ['--only pears', /--only pears: choose create or .* custom-create or definitions/],
  ['--definitions -1', /--definitions/],
  ['--definitions many', /--definitions many: give a whole number, 0 or more/],
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
  assert.deepEqual(against, { url: 'https://there', token: 't', caFile: undefined })
})

test('flags: custom resources, alone and in numbers', () => {
  const { only, definitions } = parseFlags(['--only', 'definitions', '--definitions', '20'])
  assert.deepEqual({ only, definitions }, { only: ['definitions'], definitions: 20 })
  assert.equal(parseFlags([]).definitions, 500)
})
