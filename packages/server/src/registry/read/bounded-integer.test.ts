import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedInteger, shortened } from './bounded-integer.ts'
import { parseResourceVersion } from './resource-version.ts'

const cases: ReadonlyArray<[text: string, want: bigint | undefined]> = [
  ['0', 0n],
  ['000', 0n],
  ['-0', 0n],
  ['+7', 7n],
  ['-0012', -12n],
  ['18446744073709551615', 18446744073709551615n],
  [`${'0'.repeat(100)}5`, 5n],
  ['99999999999999999999', 99999999999999999999n],
  ['100000000000000000000', undefined],
  ['9'.repeat(1_000_000), undefined],
]
for (const [text, want] of cases) {
  test(`bounded integer: ${shortened(text)}`, () => assert.equal(boundedInteger(text), want))
}

test('bounded integer: a resourceVersion of a million digits is out of range, and is not repeated', () => {
  const read = parseResourceVersion('9'.repeat(1_000_000))
  assert.ok(typeof read === 'object')
  assert.match(read.problem, /^strconv.ParseUint: parsing "9{100}...": value out of range$/)
})
