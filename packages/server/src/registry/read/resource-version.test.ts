import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseResourceVersion } from './resource-version.ts'

const cases: ReadonlyArray<[text: string, want: number | bigint | string]> = [
  ['7', 7],
  ['007', 7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['18446744073709551615', 18446744073709551615n],
  ['18446744073709551616', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
  ['1e3', 'strconv.ParseUint: parsing "1e3": invalid syntax'],
  ['', 'strconv.ParseUint: parsing "": invalid syntax'],
]
for (const [text, want] of cases) {
  test(`resource version: ${JSON.stringify(text)}`, () => {
    const read = parseResourceVersion(text)
    assert.equal(typeof read === 'object' ? read.problem : read, want)
  })
}
