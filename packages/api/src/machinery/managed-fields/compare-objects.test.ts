import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import { compareObjects } from './compare-objects.ts'
import { fieldSetOf, isFieldSetEmpty } from './field-set.ts'
import { fieldsV1Of } from './fields-v1.ts'
import { setOfObject } from './set-of-object.ts'

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: {
    scalar: text,
    map: { type: 'object', additionalProperties: text },
    struct: { type: 'object', properties: { a: text, b: { type: 'object', properties: { c: text } } } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text } },
    list: { type: 'array', items: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, name: text },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}

interface Want {
  added?: unknown
  modified?: unknown
  removed?: unknown
}
const tcp80 = 'k:{"port":80,"protocol":"TCP"}'

const cases: ReadonlyArray<[name: string, before: object, after: object, want: Want]> = [
  ['nothing', { scalar: 'a', list: ['x'] }, { list: ['x'], scalar: 'a' }, {}],
  ['a scalar', { scalar: 'a' }, { scalar: 'b' }, { modified: { 'f:scalar': {} } }],
  [
    'a new map is owned with its keys',
    {},
    { map: { a: '1' } },
    { added: { 'f:map': { '.': {}, 'f:a': {} } } },
  ],
  [
    'a new key is owned alone',
    { map: { a: '1' } },
    { map: { a: '1', b: '2' } },
    { added: { 'f:map': { 'f:b': {} } } },
  ],
  ['a map goes with its keys', { map: { a: '1' } }, {}, { removed: { 'f:map': { '.': {}, 'f:a': {} } } }],
  [
    'a map that becomes empty stays',
    { map: { a: '1' } },
    { map: {} },
    { removed: { 'f:map': { 'f:a': {} } } },
  ],
  ['an empty map is a leaf', {}, { map: {} }, { added: { 'f:map': {} } }],
  ['null is not empty', { map: null }, { map: {} }, { modified: { 'f:map': {} } }],
  ['null gives way to keys', { map: null }, { map: { a: '1' } }, { added: { 'f:map': { 'f:a': {} } } }],
  [
    'a struct that was there',
    { struct: {} },
    { struct: { a: 'x' } },
    { added: { 'f:struct': { 'f:a': {} } } },
  ],
  [
    'an atomic object is one leaf',
    { whole: { a: 'x' } },
    { whole: { a: 'y' } },
    { modified: { 'f:whole': {} } },
  ],
  ['a list is one leaf', { list: ['x'] }, { list: ['x', 'y'] }, { modified: { 'f:list': {} } }],
  [
    'elements of a set',
    { set: ['x', 'y'] },
    { set: ['z', 'y'] },
    { added: { 'f:set': { 'v:"z"': {} } }, removed: { 'f:set': { 'v:"x"': {} } } },
  ],
  ['the order of a set has no owner', { set: ['x', 'y'] }, { set: ['y', 'x'] }, {}],
  [
    'an element by its keys',
    { ports: [{ port: 80, name: 'a' }] },
    { ports: [{ port: 80, name: 'b' }] },
    { modified: { 'f:ports': { [tcp80]: { 'f:name': {} } } } },
  ],
  [
    'a new element',
    { ports: [] },
    { ports: [{ port: 80 }] },
    { added: { 'f:ports': { [tcp80]: { '.': {}, 'f:port': {} } } } },
  ],
  [
    'a key left out is its default',
    { ports: [{ port: 80, protocol: 'TCP' }] },
    { ports: [{ port: 80 }] },
    { removed: { 'f:ports': { [tcp80]: { 'f:protocol': {} } } } },
  ],
  [
    'twins are one path',
    {
      ports: [
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ],
    },
    {
      ports: [
        { port: 80, name: 'a' },
        { port: 80, name: 'c' },
      ],
    },
    { modified: { 'f:ports': { [tcp80]: {} } } },
  ],
  [
    'a twin goes',
    { set: ['x', 'x'] },
    { set: ['x'] },
    { added: { 'f:set': { 'v:"x"': {} } }, removed: { 'f:set': { 'v:"x"': {} } } },
  ],
  [
    'an element without a path makes its list a leaf',
    { ports: ['a'] },
    { ports: ['b'] },
    { modified: { 'f:ports': {} } },
  ],
  [
    'what no schema describes',
    { free: { a: [1], b: { c: 1 } } },
    { free: { a: [2], b: { c: 1, d: 1 } } },
    { modified: { 'f:free': { 'f:a': {} } }, added: { 'f:free': { 'f:b': { 'f:d': {} } } } },
  ],
  [
    'a value that changes its nature',
    { free: { a: { b: 1 } } },
    { free: { a: [1] } },
    { modified: { 'f:free': { 'f:a': {} } }, removed: { 'f:free': { 'f:a': { 'f:b': {} } } } },
  ],
  ['undefined is absent', { scalar: undefined }, {}, {}],
  [
    '__proto__ is a key',
    {},
    { map: JSON.parse('{"__proto__":"x"}') },
    { added: { 'f:map': { '.': {}, 'f:__proto__': {} } } },
  ],
]
for (const [name, before, after, { added = {}, modified = {}, removed = {} }] of cases) {
  test(`compare: ${name}`, () => {
    const found = compareObjects(before, after, schema)
    const nothing = fieldSetOf()
    const got = found ?? { added: nothing, modified: nothing, removed: nothing }
    assert.deepEqual(
      { added: fieldsV1Of(got.added), modified: fieldsV1Of(got.modified), removed: fieldsV1Of(got.removed) },
      { added, modified, removed },
    )
    assert.equal(
      found === undefined,
      [added, modified, removed].every((each) => Object.keys(each as object).length === 0),
    )
  })
}

test('compare: a removed value keeps nothing', () => {
  const found = compareObjects({ struct: { a: 'x', b: { c: 'y' } } }, { struct: { a: 'x' } }, schema)
  assert.ok(found && isFieldSetEmpty(found.added) && isFieldSetEmpty(found.modified))
  assert.deepEqual(fieldsV1Of(found.removed), { 'f:struct': { 'f:b': { '.': {}, 'f:c': {} } } })
})

test('compare: ignored paths are passed over with all below them', () => {
  const ignored = fieldSetOf(['f:map'], ['f:struct', 'f:b'])
  const after = { map: { a: '1' }, struct: { a: 'x', b: { c: 'y' } } }
  assert.deepEqual(
    fieldsV1Of(compareObjects({ struct: {} }, after, schema, ignored)?.added ?? fieldSetOf()),
    {
      'f:struct': { 'f:a': {} },
    },
  )
  assert.equal(compareObjects({ map: { a: '2' } }, { map: { a: '1' } }, schema, ignored), undefined)
})

const claims: ReadonlyArray<[name: string, object: object, want: unknown]> = [
  ['maps are claimed by their keys', { map: { a: '1' } }, { 'f:map': { 'f:a': {} } }],
  ['an empty map is claimed itself', { map: {} }, { 'f:map': {} }],
  ['null is claimed', { scalar: null }, { 'f:scalar': {} }],
  [
    'structs are claimed by their fields',
    { struct: { b: { c: 'x' } } },
    { 'f:struct': { 'f:b': { 'f:c': {} } } },
  ],
  ['atomic values are claimed whole', { whole: { a: 'x' }, list: ['a'] }, { 'f:list': {}, 'f:whole': {} }],
  [
    'elements are claimed with their fields',
    { ports: [{ port: 80, name: 'a' }], set: ['x'] },
    { 'f:ports': { [tcp80]: { '.': {}, 'f:name': {}, 'f:port': {} } }, 'f:set': { 'v:"x"': {} } },
  ],
  ['an empty set claims nothing', { set: [] }, {}],
  ['twins are claimed whole', { ports: [{ port: 80 }, { port: 80 }] }, { 'f:ports': { [tcp80]: {} } }],
  ['what no schema describes', { free: { a: { b: [1] } } }, { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } }],
]
for (const [name, object, want] of claims) {
  test(`set of an object: ${name}`, () => assert.deepEqual(fieldsV1Of(setOfObject(object, schema)), want))
}
