import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import { mergeObjects } from './merge-objects.ts'

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: {
    scalar: text,
    map: { type: 'object', additionalProperties: text },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
    list: { type: 'array', items: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: text, value: text, tags: { type: 'array', items: text } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}

const cases: ReadonlyArray<[name: string, live: object, applied: object, want: object]> = [
  ['a scalar is replaced', { scalar: 'a' }, { scalar: 'b' }, { scalar: 'b' }],
  [
    'what is not applied stays',
    { scalar: 'a', list: ['x'] },
    { map: { a: '1' } },
    { scalar: 'a', list: ['x'], map: { a: '1' } },
  ],
  [
    'maps merge',
    { map: { a: '1', b: '1' } },
    { map: { b: '2', c: '2' } },
    { map: { a: '1', b: '2', c: '2' } },
  ],
  ['an empty map adds nothing', { map: { a: '1' } }, { map: {} }, { map: { a: '1' } }],
  ['null leaves the content of a map', { map: { a: '1' } }, { map: null }, { map: { a: '1' } }],
  ['null replaces an empty map', { map: {} }, { map: null }, { map: null }],
  ['null gives way to a map', { map: null }, { map: { a: '1' } }, { map: { a: '1' } }],
  [
    'what is owned whole is replaced',
    { whole: { a: '1' }, list: ['x'] },
    { whole: { b: '2' }, list: ['y'] },
    { whole: { b: '2' }, list: ['y'] },
  ],
  [
    'null replaces what is owned whole',
    { whole: { a: '1' }, list: ['x'] },
    { whole: null, list: null },
    { whole: null, list: null },
  ],
  ['null leaves the elements of a set', { set: ['a'] }, { set: null }, { set: ['a'] }],
  [
    'elements merge',
    { ports: [{ name: 'a', value: '1', tags: ['x'] }] },
    { ports: [{ name: 'a', tags: ['y'] }] },
    { ports: [{ name: 'a', value: '1', tags: ['y'] }] },
  ],
  [
    'twins are replaced by the one that is applied',
    { ports: [{ name: 'a', value: '1' }, { name: 'a' }] },
    { ports: [{ name: 'a' }] },
    { ports: [{ name: 'a' }] },
  ],
  [
    'what no schema describes merges field by field',
    { free: { a: { b: 1, c: [1] } } },
    { free: { a: { c: [2], d: 2 } } },
    { free: { a: { b: 1, c: [2], d: 2 } } },
  ],
  [
    'a value of another nature is replaced',
    { free: { a: { b: 1 } } },
    { free: { a: [1] } },
    { free: { a: [1] } },
  ],
  [
    '__proto__ is a key',
    {},
    { map: JSON.parse('{"__proto__":"x"}') },
    { map: JSON.parse('{"__proto__":"x"}') },
  ],
]
for (const [name, live, applied, want] of cases) {
  test(`merge: ${name}`, () => {
    const before = JSON.stringify([live, applied])
    assert.deepEqual(mergeObjects({ ...live }, { ...applied }, schema), want)
    assert.equal(JSON.stringify([live, applied]), before, 'arguments stay as they were')
  })
}

/** Elements in the order that upstream was seen to give them. */
const orders: ReadonlyArray<[live: string, applied: string, want: string]> = [
  ['abc', 'ab', 'abc'],
  ['ab', 'abc', 'abc'],
  ['abc', '', 'abc'],
  ['', 'abc', 'abc'],
  ['ab', 'ba', 'ba'],
  ['abc', 'def', 'abcdef'],
  ['abc', 'cdef', 'abcdef'],
  ['abcgf', 'cdef', 'abcgdef'],
  ['cdef', 'ace', 'acdef'],
  ['abcxyz', 'def', 'abcxyzdef'],
  ['abcxyz', 'defxyz', 'abcdefxyz'],
  ['cagf', 'cfag', 'cfag'],
  ['abcd', 'defa', 'bcdefa'],
  ['cdefghij', '2h3e4kl', 'cdfg2hij3e4kl'],
  ['abcdefghij', '1b2h3e4kl', 'a1bcdfg2hij3e4kl'],
  ['abb', 'c', 'abbc'],
  ['abb', 'b', 'ab'],
  ['abb', 'a', 'abb'],
  ['abcdec', '1b2ed', 'a1bc2ecd'],
  ['abcdec', '1b2ced', 'a1b2ced'],
  ['aabb', 'bcd', 'aabcd'],
  ['aabb', '', 'aabb'],
  ['cagfca', 'cfag', 'cfag'],
]
for (const [live, applied, want] of orders) {
  test(`merge: ${live || 'nothing'} and ${applied || 'nothing'} make ${want}`, () => {
    const of = (letters: string) => ({ set: [...letters] })
    assert.deepEqual(mergeObjects(of(live), of(applied), schema), of(want))
  })
}
