import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareDecimals } from './decimal.ts'
import { parseQuantity, type Quantity } from './quantity.ts'
import { milliQuantityText, quantityProblem, quantityText } from './quantity-text.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongSuffix = "unable to parse quantity's suffix"

const canonical: ReadonlyArray<[what: string, value: unknown, text: string]> = [
  ['a whole number', '5', '5'],
  ['a number of JSON', 5, '5'],
  ['a fraction of JSON', 0.5, '500m'],
  ['a number with more digits than JavaScript has', rawJSON('9007199254740993'), '9007199254740993'],
  ['a large number, as JavaScript writes it', 1e21, '1e+21'],
  ['nothing', '0', '0'],
  ['null, in a map', null, '0'],
  ['nothing with a suffix', '0Mi', '0'],
  ['less than nothing is nothing', '-0', '0'],
  ['spaces around it', ' 5 ', '5'],
  ['thousandths that are whole', '1000m', '1'],
  ['thousandths that are not', '1500m', '1500m'],
  ['half', '0.5', '500m'],
  ['half, without a zero', '.5', '500m'],
  ['one and a half', '1.5', '1500m'],
  ['a point and nothing behind it', '1.', '1.'],
  ['zeros behind the point', '1.0', '1'],
  ['a thousand', '1000', '1k'],
  ['a hundred thousand', '100000', '100k'],
  ['millions', '1000000', '1M'],
  ['a thousand of something', '1000k', '1M'],
  ['a third of a suffix', '0.1G', '100M'],
  ['millionths', '0.000001', '1u'],
  ['billionths', '.000000001', '1n'],
  ['less than billionths is one', '0.0000000001', '1n'],
  ['less than billionths, with nines', '0.9999999999', '1'],
  ['less than billionths below zero', '-0.0000000001', '-1n'],
  ['negative', '-1500', '-1500'],
  ['negative, to be shortened', '-1000', '-1k'],
  ['binary', '1Ki', '1Ki'],
  ['binary, to be shortened', '1024Ki', '1Mi'],
  ['binary that is no power', '1000Ki', '1000Ki'],
  ['eight of them', '8Gi', '8Gi'],
  ['half of a binary', '0.5Gi', '512Mi'],
  ['one and a half', '1.5Gi', '1536Mi'],
  ['binary below a thousand', '0.5Ki', '512'],
  ['binary that is not whole', '1.0001Ki', '1024102400u'],
  ['binary below one', '0.0001Ki', '102400u'],
  ['a negative binary', '-1024Ki', '-1Mi'],
  ['the largest binary', '7Ei', '7Ei'],
  ['more binary than 64 bits hold', '8Ei', '9223372036854775807'],
  ['far more', `${'9'.repeat(50)}Ki`, '9223372036854775807'],
  ['less than that', '-8Ei', '-9223372036854775807'],
  ['a binary with a very long fraction', `1.${'0'.repeat(300)}1Ki`, '1024000000001n'],
  ['an exponent', '1e3', '1e3'],
  ['a capital exponent', '1E3', '1E3'],
  ['an exponent that is no multiple of three', '1e4', '10e3'],
  ['an exponent below zero', '1e-3', '1e-3'],
  ['an exponent that is too small', '1e-10', '1e-9'],
  ['an exponent of zero', '1000e0', '1e3'],
  ['an enormous exponent', '1e1000000000', '10e999999999'],
  ['an exponent beyond all bits', '1e4294967299', '1e4294967299'],
  ['capital E alone is a suffix', '2E', '2E'],
  ['more than there are suffixes for', '1000E', '1e21'],
  ['digits beyond 64 bits', '123456789012345678901', '123456789012345678901'],
  ['digits beyond 64 bits, to be shortened', '12345678901234567890000', '12345678901234567890k'],
  // Go reuses what was sent where it believes that it is canonical.
  ['a plus', '+5', '+5'],
  ['zeros in front', '005', '005'],
  ['exactly three digits behind the point', '1.001', '1.001'],
  ['a suffix alone', 'm', '0'],
  ['a sign alone', '-', '0'],
]
for (const [what, value, text] of canonical) {
  test(`quantity: ${what}`, () => {
    assert.equal(quantityProblem(value ?? '0'), undefined)
    assert.equal(quantityText(value), text)
    assert.equal(quantityText(text), text, 'and that is written as itself')
  })
}

const wrong: ReadonlyArray<[value: unknown, problem: string]> = [
  ['', wrongFormat],
  [' ', wrongFormat],
  ['abc', wrongFormat],
  ['1.2.3', wrongFormat],
  ['1 Gi', wrongFormat],
  ['1Gi ib', wrongFormat],
  [true, wrongFormat],
  [{}, wrongFormat],
  [[1], wrongFormat],
  ['1K', wrongSuffix],
  ['1kk', wrongSuffix],
  ['1mi', wrongSuffix],
  ['1e', wrongSuffix],
  ['1+5', wrongSuffix],
  ['1e99999999999999999999', wrongSuffix],
  ['1e9223372036854775808', wrongSuffix],
  ['e-10', 'unable to parse numeric part of quantity'],
]
for (const [value, problem] of wrong) {
  test(`quantity: ${JSON.stringify(value)} is none`, () => {
    assert.equal(quantityProblem(value), problem)
    assert.equal(quantityText(value), value)
  })
}

const rounded: ReadonlyArray<[text: string, milli: string]> = [
  ['1500m', '1500m'],
  ['1Gi', '1Gi'],
  ['1.001', '1.001'],
  ['1u', '1m'],
  ['1001u', '2m'],
  ['999999u', '1'],
  ['1e-6', '1e-3'],
  ['1024102400u', '1024103m'],
  ['-1u', '-1m'],
  ['0', '0'],
  ['none', 'none'],
]
for (const [text, milli] of rounded) {
  test(`quantity: ${text} is ${milli} in thousandths`, () => assert.equal(milliQuantityText(text), milli))
}

const order = ['-1Gi', '-1', '-1m', '0', '1n', '1m', '999m', '1', '1.5', '1000', '1Ki', '1e1000000000']
test('quantity: the order is that of the numbers', () => {
  const quantities = order.map(quantityOf)
  for (const [i, a] of quantities.entries()) {
    for (const [j, b] of quantities.entries())
      assert.equal(Math.sign(compareDecimals(a, b)), Math.sign(i - j))
  }
  assert.equal(compareDecimals(quantityOf('1Ki'), quantityOf('1.024k')), 0)
})

function quantityOf(text: string): Quantity {
  const parsed = parseQuantity(text)
  assert.ok(parsed.problem === undefined, text)
  return parsed.quantity
}
