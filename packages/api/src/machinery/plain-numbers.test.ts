import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from './field-error.ts'
import { plainNumbers } from './plain-numbers.ts'
import type { Schema } from './schema.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    whole: { type: 'integer' },
    bits32: { type: 'integer', format: 'int32' },
    any: { type: 'number' },
    either: { 'x-kubernetes-int-or-string': true },
    name: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { whole: { type: 'integer' } } } },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    opaque: { 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
/** As a decoder keeps numbers whose text says more than JavaScript's do. */
const parse = (text: string): unknown =>
  JSON.parse(text, ((_: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && String(value) !== source ? rawJSON(source ?? '') : value) as () => unknown)

const range = 'must be an integer between -9007199254740991 and 9007199254740991'
const cases: ReadonlyArray<[what: string, text: string, plain: string, misfits?: string[]]> = [
  ['numbers that are plain', '{"whole":5,"any":1.5}', '{"whole":5,"any":1.5}'],
  ['a fraction of nothing', '{"any":1.0}', '{"any":1}'],
  ['an exponent', '{"any":1e3}', '{"any":1000}'],
  ['many digits of a float', '{"any":9007199254740993}', '{"any":9007199254740992}'],
  ['a float without a schema', '{"opaque":{"a":[1.0]}}', '{"opaque":{"a":[1]}}'],
  ['many digits without a schema', '{"opaque":[9007199254740993]}', '{"opaque":[9007199254740993]}'],
  [
    'an integer beyond 2^53',
    '{"whole":9007199254740993}',
    '{"whole":9007199254740993}',
    [`whole: Invalid value: 9007199254740993: whole in body ${range}`],
  ],
  [
    'one in a list and one in a map',
    '{"list":[{},{"whole":-9223372036854775809}],"map":{"a":9007199254740993}}',
    '{"list":[{},{"whole":-9223372036854775809}],"map":{"a":9007199254740993}}',
    [
      `list[1].whole: Invalid value: -9223372036854775809: list[1].whole in body ${range}`,
      `map.a: Invalid value: 9007199254740993: map.a in body ${range}`,
    ],
  ],
  [
    'an integer beyond 2^53 where a text may be too',
    '{"either":9007199254740993}',
    '{"either":9007199254740993}',
    [`either: Invalid value: 9007199254740993: either in body ${range}`],
  ],
  [
    'beyond 32 bits and 2^53',
    '{"bits32":9007199254740993}',
    '{"bits32":9007199254740993}',
    [
      'bits32: Invalid value: 9007199254740993: bits32 in body must be an integer between -2147483648 and 2147483647',
    ],
  ],
  [
    'a fraction for an integer',
    '{"whole":1.0}',
    '{"whole":1.0}',
    ['whole: Invalid value: "number": whole in body must be of type integer: "number"'],
  ],
  [
    'beyond a float64',
    '{"any":1e400}',
    '{"any":1e400}',
    ['any: Invalid value: 1e400: any in body must fit a float64'],
  ],
  [
    'a number for a text',
    '{"name":1.0}',
    '{"name":1.0}',
    ['name: Invalid value: "number": name in body must be of type string: "number"'],
  ],
]
for (const [what, text, plain, misfits = []] of cases) {
  test(`plain numbers: ${what}`, () => {
    const found = plainNumbers(parse(text), schema)
    assert.equal(JSON.stringify(found.value), plain)
    assert.deepEqual(found.misfits.map(fieldErrorText), misfits)
  })
}
