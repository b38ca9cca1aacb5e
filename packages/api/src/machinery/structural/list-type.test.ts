import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import { fieldErrorText } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
const set: Schema = { type: 'array', 'x-kubernetes-list-type': 'set', items: {} }
const byKeys = (...keys: string[]): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object' },
})

const cases: ReadonlyArray<[name: string, schema: Schema, value: unknown, ...wanted: string[]]> = [
  ['a plain list', { type: 'array' }, ['a', 'b', 'a']],
  ['an atomic list', { type: 'array', 'x-kubernetes-list-type': 'atomic' }, ['a', 'a']],
  ['a set of one', set, ['a']],
  ['a set of two', set, ['a', 'b']],
  ['the same twice', set, ['a', 'a'], 'f[1]: Duplicate value: "a"'],
  [
    'several twice, one of them thrice',
    set,
    ['a', 'a', 'b', 'c', 'c', 'a'],
    'f[1]: Duplicate value: "a"',
    'f[4]: Duplicate value: "c"',
  ],
  ['a text is no number', set, ['1', 1]],
  ['an integer is no float', set, [1, rawJSON('1.0')]],
  [
    'large integers',
    set,
    [rawJSON('9007199254740993'), 9007199254740992, rawJSON('9007199254740993')],
    'f[2]: Duplicate value: 9007199254740993',
  ],
  [
    'objects, whatever the order of their fields',
    set,
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    'f[1]: Duplicate value: {"b":[2],"a":1}',
  ],
  ['lists', set, [[1], [2], [1]], 'f[2]: Duplicate value: [1]'],
  ['null', set, [null, null], 'f[1]: Duplicate value: null'],
  ['a set of sets', { ...set, items: set }, [['a', 'a'], ['b']], 'f[0][1]: Duplicate value: "a"'],
  ['in a map', { type: 'object', additionalProperties: set }, { k: [1, 1] }, 'f[k][1]: Duplicate value: 1'],
  [
    'different keys',
    byKeys('a'),
    [
      { a: 'x', v: 1 },
      { a: 'y', v: 1 },
    ],
  ],
  [
    'the same key',
    byKeys('a'),
    [
      { a: 'x', v: 1 },
      { a: 'x', v: 2 },
    ],
    'f[1]: Duplicate value: {"a":"x"}',
  ],
  ['no key twice', byKeys('a'), [{ v: 1 }, { v: 2 }], 'f[1]: Duplicate value: {}'],
  ['null has no key', byKeys('a'), [null, {}], 'f[1]: Duplicate value: {}', 'f[0]'],
  [
    'several keys',
    byKeys('b', 'a'),
    [
      { a: 1, b: 2 },
      { a: 1, b: 3 },
      { b: 2, a: 1 },
    ],
    'f[2]: Duplicate value: {"a":1,"b":2}',
  ],
  [
    'several keys, some missing',
    byKeys('a', 'b'),
    [{ a: 1 }, { b: 1 }, { a: 1 }],
    'f[2]: Duplicate value: {"a":1}',
  ],
  [
    'something else than an object at the beginning',
    byKeys('a'),
    ['x'],
    'f[0]: Invalid value: "x": must be an object for an array of list-type map',
    'f[0]',
  ],
  [
    'something else than objects',
    byKeys('a'),
    [{ a: 1 }, 'x', 'x'],
    'f[1]: Invalid value: "x": must be an object for an array of list-type map',
    'f[1]',
    'f[2]',
  ],
]

for (const [name, schema, value, ...wanted] of cases) {
  test(`lists: ${name}`, () => {
    const structural = compileStructuralSchema({ type: 'object', properties: { f: schema } })
    const object = { metadata: {}, f: value } as ApiObject
    const [expected, others] = [
      wanted.filter((each) => each.includes(': ')),
      wanted.filter((each) => !each.includes(': ')),
    ]
    const found = structural.validate(object)
    // The text about the type of an item does not matter here, only that there is one.
    const typed = found.filter(({ reason }) => reason === 'FieldValueTypeInvalid')
    assert.deepEqual(
      typed.map(({ path }) => path),
      others,
    )
    assert.deepEqual(found.filter((each) => !typed.includes(each)).map(fieldErrorText), expected)
  })
}

test('lists: what had duplicates may have others', () => {
  const structural = compileStructuralSchema({ type: 'object', properties: { f: set, g: set } })
  const good = { metadata: {}, f: ['a'] } as ApiObject
  const bad = { metadata: {}, f: ['a', 'a'] } as ApiObject
  const worse = { metadata: {}, f: ['a', 'a'], g: [1, 1] } as ApiObject
  assert.equal(structural.validateUpdate(bad, good).length, 1)
  assert.deepEqual(structural.validateUpdate(worse, bad), [])
  assert.deepEqual(structural.validateUpdate(good, bad), [])
})
