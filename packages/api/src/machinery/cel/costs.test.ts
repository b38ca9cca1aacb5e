import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import { estimateCost } from './cost/estimate-cost.ts'
import { compileFor, costOf } from './syntax/expression-for-test.ts'
import { schemaType } from './types/schema-type.ts'

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const schema: Schema = {
  type: 'object',
  properties: {
    a: number,
    s: text,
    short: { ...text, maxLength: 10 },
    color: { ...text, enum: ['red', 'green'] },
    list: { type: 'array', items: number },
    few: { type: 'array', items: { ...text, maxLength: 5 }, maxItems: 10 },
    map: { type: 'object', additionalProperties: number, maxProperties: 3 },
    nested: { type: 'object', properties: { x: number } },
  },
}
const self = { a: 1, s: 'hello world', list: [1, 2, 3], few: ['a', 'b'], map: { k: 1 }, nested: { x: 1 } }

/** What an evaluation costs, and what it can cost at most. Upstream decides by the same numbers. */
const cases: ReadonlyArray<readonly [expression: string, actual: number, most: number]> = [
  ['true', 0, 0],
  ['self.a', 2, 2],
  ['self.nested.x == 1', 4, 3],
  ['has(self.nested.x)', 2, 2],
  ['self.a == 1 && self.a == 2', 6, 4],
  ['self.a == 1 || self.a == 2', 3, 4],
  ['self.a > 0 ? self.a : self.nested.x', 4, 6],
  ["self.s == 'hello world'", 4, 4],
  ['self.s + self.s', 7, 629_150],
  ["self.s.startsWith('hello')", 3, 3],
  ["self.s.contains('world')", 4, 314_575],
  ["self.s.matches('^[a-z ]+$')", 8, 943_721],
  ["self.short.size() == 3 || self.color == 'red'", 7, 7],
  ['self.a in [1, 2, 3]', 2, 15],
  ['self.a in self.list', 7, 1_572_867],
  ['[1, 2, self.a]', 12, 12],
  ["{'a': self.a}", 32, 32],
  ['self.list.all(x, x > 0)', 18, 7_864_318],
  ['self.list.exists(x, x == 2)', 18, 7_864_318],
  ['self.list.map(x, x * 2)', 45, 22_020_095],
  ["self.few.all(x, x != '')", 11, 43],
  ["self.few.all(x, self.few.all(y, x != y || x == ''))", 20, 863],
  ['self.map.all(k, self.map[k] > 0)', 10, 27],
  ['[3, 1, 2].sort() == [1, 2, 3]', 30, 50],
  ["quantity('1k').isLessThan(quantity('2k'))", 3, 3],
  ["sets.contains(self.few, ['a'])", 5, 23],
]

for (const [expression, actual, most] of cases) {
  test(`costs: ${expression}`, () => {
    const compiled = compileFor(expression, schema)
    if ('problems' in compiled) throw new Error(compiled.problems)
    assert.deepEqual(
      {
        actual: costOf(expression, schema, self),
        most: estimateCost(compiled.checked, schemaType(schema, false, 'selfType')),
      },
      { actual, most },
    )
  })
}

/** Rules on a list or a map itself, without a limit and with one. */
const limits: ReadonlyArray<
  readonly [name: string, schema: Schema, unlimited: number, limit: Schema, limited: number]
> = [
  ['a list of numbers', { type: 'array', items: { type: 'number' } }, 4_718_591, { maxItems: 10 }, 32],
  ['a list of texts', { type: 'array', items: text }, 3_145_727, { maxItems: 20 }, 62],
  [
    'a list of lists',
    { type: 'array', items: { type: 'array', items: number } },
    3_145_727,
    { maxItems: 100 },
    302,
  ],
  [
    'a map of numbers',
    { type: 'object', additionalProperties: { type: 'number' } },
    1_348_169,
    { maxProperties: 10 },
    32,
  ],
]

for (const [name, unbounded, unlimited, limit, limited] of limits) {
  test(`costs: ${name} that all must hold for, as far as the schema limits it`, () => {
    for (const [each, most] of [
      [unbounded, unlimited],
      [{ ...unbounded, ...limit }, limited],
    ] as const) {
      const compiled = compileFor('self.all(x, true)', each)
      if ('problems' in compiled) throw new Error(compiled.problems)
      assert.equal(estimateCost(compiled.checked, schemaType(each, false, 'selfType')), most)
    }
  })
}
