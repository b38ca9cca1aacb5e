import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideServedVersions, type ServedFacts } from './decide-served-versions.ts'

// Of the lighthouse's releases.
const [x, x1, x3] = [['v1'], ['v1', 'v2'], ['v2']]

const cases: ReadonlyArray<
  [
    name: string,
    previous: readonly string[] | undefined,
    served: ServedFacts['served'],
    isComplete: boolean,
    want: readonly string[],
    mayGrow?: boolean,
  ]
> = [
  ['one release', ['v1'], [x, x, x], true, ['v1']],
  ['the first of three is upgraded', ['v1'], [x1, x, x], true, ['v1']],
  ['two of three are upgraded', ['v1'], [x1, x1, x], true, ['v1']],
  ['the last one is upgraded', ['v1'], [x1, x1, x1], true, ['v1', 'v2']],
  ['the last one is starting', ['v1'], [x1, x1], false, ['v1']],
  ['the last one has left, and may come back as it was', ['v1'], [x1, x1], true, ['v1'], false],
  ['a server that starts takes nothing away', ['v1', 'v2'], [x1, x1], false, ['v1', 'v2']],
  ['the first of a rollback takes the new version away', ['v1', 'v2'], [x1, x1, x], true, ['v1']],
  ['… whether or not anything may grow', ['v1', 'v2'], [x1, x1, x], true, ['v1'], false],
  ['… also while another one is starting', ['v1', 'v2'], [x1, x], false, ['v1']],
  ['… which does not come back while one is starting', ['v1'], [x1, x1], false, ['v1']],
  [
    'a version that is served no more goes with the first that does not',
    ['v1', 'v2'],
    [x1, x3],
    true,
    ['v2'],
  ],
  ['releases that have nothing in common', ['v1'], [x, x3], true, []],
  ['… also while one is starting', ['v1'], [x, x3], false, []],
  ['nobody is there: what was served is remembered', ['v1'], [], true, ['v1']],
  ['nobody was ever there', undefined, [], true, []],
  ['the first server of all', undefined, [x1], true, ['v1', 'v2']],
  ['… while others are starting', undefined, [x1], false, ['v1', 'v2']],
  ['after a full stop, another release while others are starting', ['v1'], [x3], false, ['v2']],
  ['the order does not matter', undefined, [['v2', 'v1'], x1], true, ['v1', 'v2']],
]
for (const [name, previous, served, isComplete, want, mayGrow = true] of cases) {
  test(`served by all: ${name}`, () => {
    assert.deepEqual(decideServedVersions({ previous, served, isComplete, mayGrow }), want)
    assert.deepEqual(
      decideServedVersions({ previous, served: served.toReversed(), isComplete, mayGrow }),
      want,
    )
  })
}
