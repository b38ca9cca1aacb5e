import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@strata/api'
import { countKeys, countKeysIn, findDuplicateKeys } from './duplicate-keys.ts'

const cases: ReadonlyArray<[text: string, paths: string[]]> = [
  ['{"a":1,"b":2}', []],
  ['{"data":{"a":"1","a":"2"}}', ['data.a']],
  ['{"a":1,"a":2,"a":3}', ['a', 'a']],
  ['{"list":[{"x":1},{"x":1,"x":2}]}', ['list[1].x']],
  ['{ "a" : "\\":" , "b" : [ ] , "c" : { } , "d":-1.5e3, "e":null }', []],
  ['{"\\u0061":1,"a":2}', ['a']],
  ['{"say \\"a\\": b":1,"b":"\\\\","c":"\\\\\\":{\\"","a":["x",{"a":1}]}', []],
  ['{"a\\\\":1 , "a\\\\"\n:2}', ['a\\']],
  ['["a","b",{"a" : "a:"}]', []],
  ['"a"', []],
  ['{"a":1.0,"b":1,"b":2}', ['b']],
]
for (const [text, paths] of cases) {
  test(`duplicate keys: ${text}`, () => {
    assert.deepEqual(findDuplicateKeys(text), paths)
    assert.equal(countKeysIn(text) - countKeys(parseLossless(text)), paths.length)
  })
}
