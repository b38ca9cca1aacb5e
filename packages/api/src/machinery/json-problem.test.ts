import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMalformedJson, isTooDeep, isValueTooDeep } from './json-problem.ts'

const cases: ReadonlyArray<[text: string, problem: string]> = [
  ['', 'unexpected end of JSON input'],
  ['{"apiVersion":"v1","kind":"ConfigMap",', 'unexpected end of JSON input'],
  ['{"a":"b', 'unexpected end of JSON input'],
  ['i', "invalid character 'i' looking for beginning of value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['tru', 'unexpected end of JSON input'],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
]
for (const [text, problem] of cases) {
  test(`malformed JSON: ${JSON.stringify(text)}`, () => {
    assert.throws(() => JSON.parse(text), SyntaxError)
    assert.equal(describeMalformedJson(text), problem)
  })
}

test('malformed JSON: depth is limited', () => {
  assert.equal(describeMalformedJson('['.repeat(1_001)), 'exceeded max depth')
  assert.equal(describeMalformedJson('['.repeat(1_000)), 'unexpected end of JSON input')
  const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels)
  assert.equal(isTooDeep(nested(1_000, '"x"')), false)
  assert.equal(isTooDeep(nested(1_001)), true)
  assert.equal(isTooDeep(`["${'['.repeat(2_000)}","\\\\","${'\\"['.repeat(2_000)}"]`), false)
  assert.equal(isTooDeep(`[${'[],'.repeat(2_000)}[]]`), false)
  assert.equal(isValueTooDeep(JSON.parse(nested(1_000))), false)
  assert.equal(isValueTooDeep(JSON.parse(nested(100_000))), true)
})
