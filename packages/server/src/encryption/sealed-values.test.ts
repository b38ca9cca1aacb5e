import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SealedValues, type StoredValue } from './sealed-values.ts'

const value = new Uint8Array()
const at = (key: string, revision: number): StoredValue => ({ key, revision, value })

const cases: ReadonlyArray<[name: string, then: (values: SealedValues) => void, kept: readonly number[]]> = [
  ['an untouched value stays', () => {}, [5]],
  ['what was written since and can be read goes', (values) => values.passed('a', 6), []],
  ['what was deleted since goes', (values) => values.passed('a', 9), []],
  ['it stays where the past was read', (values) => values.passed('a', 4), [5]],
  // The cache still has it closed: it must be notified.
  ['it stays where it was opened itself', (values) => values.passed('a', 5), [5]],
  ['another key is another value', (values) => values.passed('b', 6), [5]],
  [
    'what was written since and cannot be read takes its place',
    (values) => values.note(at('a', 7), true),
    [7],
  ],
  ['it may last, as it turns out', (values) => values.note(at('a', 5), false), [5]],
  ['the past does not take its place', (values) => values.note(at('a', 3), true), [5]],
  ['it is taken once', (values) => void values.take(at('a', 5)), []],
  ['another value there is not taken', (values) => assert.equal(values.take(at('a', 4)), false), [5]],
]
for (const [name, then, kept] of cases) {
  test(`sealed values: ${name}`, () => {
    const values = new SealedValues()
    values.note(at('a', 5), true)
    then(values)
    assert.deepEqual(
      values.all.map(({ revision }) => revision),
      kept,
    )
  })
}

test('sealed values: a thousand that last leave room for those that pass', () => {
  const values = new SealedValues()
  for (let index = 0; index < 2_000; index++) values.note(at(`lasting ${index}`, 1), false)
  values.note(at('passing', 1), true)
  assert.equal(values.size, 1_001)
  assert.deepEqual(
    values.passing.map(({ key }) => key),
    ['passing'],
  )
})
