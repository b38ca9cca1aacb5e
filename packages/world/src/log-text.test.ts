import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsText, safeJson } from './log-text.ts'

const cases: ReadonlyArray<[name: string, value: unknown, want: string]> = [
  ['a plain word stays plain', 'word', 'key=word'],
  ['an empty text is visible', '', 'key=""'],
  ['spaces are quoted', 'two words', 'key="two words"'],
  ['a line break cannot forge a line', 'a\nb', 'key="a\\nb"'],
  ['numbers are numbers', 3, 'key=3'],
  ['a big integer is written out', { at: 12n }, 'key={"at":"12"}'],
  ['nothing is said as such', undefined, 'key=undefined'],
  [
    'an error is one line with its cause',
    new Error('a', { cause: new TypeError('b') }),
    'key="Error: a (cause: TypeError: b)"',
  ],
  ['bytes are counted, not printed', { body: new Uint8Array(5) }, 'key={"body":"<5 bytes>"}'],
]
for (const [name, value, want] of cases) {
  test(`log text: ${name}`, () => assert.equal(fieldsText({ key: value }), want))
}

test('log text: what cannot be written does not throw', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  assert.match(safeJson(circle), /cannot be written/)
})
