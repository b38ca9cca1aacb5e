import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countKeys, countKeysAtMost, findDuplicateKeys } from './duplicate-keys.ts'

const cases: ReadonlyArray<[text: string, paths: string[]]> = [
  ['{"a":1,"b":2}', []],
  ['{"data":{"a":"1","a":"2"}}', ['data.a']],
  ['{"a":1,"a":2,"a":3}', ['a', 'a']],
  ['{"list":[{"x":1},{"x":1,"x":2}]}', ['list[1].x']],
  ['{ "a" : "\\":" , "b" : [ ] , "c" : { } , "d":-1.5e3, "e":null }', []],
  ['{"\\u0061":1,"a":2}', ['a']],
]
for (const [text, paths] of cases) {
  test(`duplicate keys: ${text}`, () => {
    assert.deepEqual(findDuplicateKeys(text), paths)
    // The quick count may be too high, which only costs the slow look; too low would miss a duplicate.
    const missed = countKeysAtMost(text) === countKeys(JSON.parse(text))
    if (paths.length > 0) assert.equal(missed, false)
  })
}
