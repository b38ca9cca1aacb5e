import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern } from './compile-pattern.ts'

const matching: ReadonlyArray<[pattern: string, text: string, matches: boolean]> = [
  ['^[a-z]+$', 'abc', true],
  ['b', 'abc', true],
  ['a$', 'a\n', false],
  ['^.$', '😀', true],
  ['^.$', '\r', true],
  ['^.$', '\n', false],
  ['^\\s$', '\u000b', false],
  ['^\\s$', '\u00a0', false],
  ['^\\d$', '٣', false],
  ['(?i)^abc$', 'ABC', true],
  ['^[[:alpha:]]+$', 'abc', true],
  ['^\\pL+$', 'äé', true],
  ['\\Aa\\z', 'a', true],
  ['^(?P<name>a)$', 'a', true],
  ['^\\Q.*\\E$', '.*', true],
  ['^a{,5}$', 'a{,5}', true],
  ['(?s)^a.b$', 'a\nb', true],
]
for (const [pattern, text, matches] of matching) {
  test(`patterns: ${pattern} and ${JSON.stringify(text)}`, () => {
    const compiled = compilePattern(pattern)
    assert.ok(typeof compiled === 'function')
    assert.equal(compiled(text), matches)
  })
}

const wrong: ReadonlyArray<[pattern: string, error: string]> = [
  ['(', 'missing closing ): `(`'],
  ['[a', 'missing closing ]: `[a`'],
  ['+', 'missing argument to repetition operator: `+`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['(?=x)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?!x)', 'invalid or unsupported Perl syntax: `(?!`'],
  ['\\1', 'invalid escape sequence: `\\1`'],
  ['\\u0041', 'invalid escape sequence: `\\u`'],
  ['x{1001}', 'invalid repeat count: `{1001}`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['a)', 'unexpected ): `a)`'],
]
for (const [pattern, error] of wrong) {
  test(`patterns: ${pattern} is none`, () => {
    assert.deepEqual(compilePattern(pattern), { error: `error parsing regexp: ${error}` })
  })
}

test('patterns: none takes for ever', () => {
  const compiled = compilePattern('^(a+)+$')
  assert.ok(typeof compiled === 'function')
  assert.equal(compiled(`${'a'.repeat(100_000)}b`), false)
})
