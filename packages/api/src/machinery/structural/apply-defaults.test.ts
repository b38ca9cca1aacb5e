import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const text = (value: unknown, rest: Partial<Schema> = {}): Schema => ({ default: value, ...rest })
const root = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const list = (items: Schema): Schema => ({ type: 'array', items })
const map = (additionalProperties: Schema | boolean): Schema => ({ type: 'object', additionalProperties })
const ab = root({ a: text('A'), b: text('B') })

const cases: ReadonlyArray<[name: string, schema: Schema, object: unknown, want: unknown]> = [
  ['what is left out', ab, { a: 1 }, { a: 1, b: 'B' }],
  [
    'in items',
    root({ l: list(ab) }),
    { l: [{ a: 1 }, {}] },
    {
      l: [
        { a: 1, b: 'B' },
        { a: 'A', b: 'B' },
      ],
    },
  ],
  ['in values of maps', root({ m: map(ab) }), { m: { x: { b: 2 } } }, { m: { x: { a: 'A', b: 2 } } }],
  ['not in objects that are left out', root({ o: ab }), {}, {}],
  [
    'in objects that are themselves defaults',
    root({ o: { ...ab, default: {} } }),
    {},
    { o: { a: 'A', b: 'B' } },
  ],
  [
    'zero and empty are values',
    root({ l: list(root({ a: text('A') })) }),
    { l: [{ a: 0 }, { a: '' }, { a: null }, { a: [] }, { a: {} }, { a: false }] },
    { l: [{ a: 0 }, { a: '' }, { a: 'A' }, { a: [] }, { a: {} }, { a: false }] },
  ],
  ['null stays where it may be', root({ a: text('A', { nullable: true }) }), { a: null }, { a: null }],
  ['null in a list', root({ l: list(text('A')) }), { l: [null] }, { l: ['A'] }],
  [
    'null in a list of nullable',
    root({ l: list(text('A', { nullable: true })) }),
    { l: [null] },
    { l: [null] },
  ],
  ['null in a list without a default', root({ l: list(ab) }), { l: [null] }, { l: [null] }],
  ['null in a map', root({ m: map(text('A')) }), { m: { x: null } }, { m: { x: 'A' } }],
  ['null in a map of anything', root({ m: map(true) }), { m: { x: null } }, { m: { x: null } }],
  ['null is no default', root({ a: text(null) }), {}, {}],
  ['a scalar where an object should be', root({ o: ab }), { o: 4 }, { o: 4 }],
  [
    'one that says more than its schema',
    root({ o: { type: 'object', properties: { a: {} }, default: { a: 1, b: 2 } } }),
    {},
    { o: { a: 1 } },
  ],
  [
    'names that every object has',
    root({ constructor: text(1), toString: text(2) }),
    {},
    { constructor: 1, toString: 2 },
  ],
]

for (const [name, schema, object, want] of cases) {
  test(`defaults: ${name}`, () => {
    const structural = compileStructuralSchema(schema)
    const filled = structuredClone(object) as ApiObject
    structural.applyDefaults(filled)
    assert.deepEqual(filled, want)
    structural.applyDefaults(filled)
    assert.deepEqual(filled, want)
  })
}

test('defaults: each object gets its own', () => {
  const structural = compileStructuralSchema(
    root({ o: { type: 'object', properties: { list: {} }, default: { list: [1] } } }),
  )
  const [one, two] = [{ metadata: {} }, { metadata: {} }] as ApiObject[] as [ApiObject, ApiObject]
  structural.applyDefaults(one)
  structural.applyDefaults(two)
  assert.notEqual(one['o'], two['o'])
  ;(one['o'] as { list: number[] }).list.push(2)
  assert.deepEqual(two['o'], { list: [1] })
})

test('defaults: a field named __proto__ is one', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"properties":{"x":{}},"default":{"x":1}}}}',
  ) as Schema
  const filled = { metadata: {} } as ApiObject
  compileStructuralSchema(schema).applyDefaults(filled)
  assert.equal(JSON.stringify(filled), '{"metadata":{},"__proto__":{"x":1}}')
  assert.equal((filled as { x?: unknown }).x, undefined)
})

test('defaults: a short object does not become longer than there is room for', () => {
  const { applyDefaults } = compileStructuralSchema(root({ l: list(ab) }))
  const empty = (count: number): ApiObject => ({ metadata: {}, l: Array.from({ length: count }, () => ({})) })
  const onFull = (): never => {
    throw new RangeError('no room')
  }
  // Two texts of one letter in each, with their fields.
  const roomFor = (count: number) => ({ left: count * 2 * '"":"A",'.length, onFull })
  applyDefaults(empty(100), roomFor(100))
  assert.throws(() => applyDefaults(empty(101), roomFor(100)), /no room/)
})
