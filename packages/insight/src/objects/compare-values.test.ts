import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues } from './compare-values.ts'

type Row = readonly [
  name: string,
  before: unknown,
  after: unknown,
  want: { lost?: string[]; changed?: string[]; added?: string[] },
]

const rows: readonly Row[] = [
  ['equal values', { a: 1, b: [1] }, { b: [1], a: 1 }, {}],
  ['a field that disappears', { spec: { a: 1, b: 2 } }, { spec: { a: 1 } }, { lost: ['spec.b'] }],
  ['a whole part is one difference', { spec: { a: { b: { c: 1 } } } }, { spec: {} }, { lost: ['spec.a'] }],
  ['a default', { spec: {} }, { spec: { size: 3 } }, { added: ['spec.size'] }],
  ['another value', { spec: { a: 1 } }, { spec: { a: '1' } }, { changed: ['spec.a'] }],
  [
    'items are compared by position',
    { list: [{ a: 1, b: 1 }, 5] },
    { list: [{ a: 1 }, 6] },
    { lost: ['list[0].b'], changed: ['list[1]'] },
  ],
  [
    'items that are too many or too few',
    { a: [1, 2], b: [] },
    { a: [1], b: [1] },
    { lost: ['a[1]'], added: ['b[0]'] },
  ],
  ['a list in place of an object', { a: {} }, { a: [] }, { changed: ['a'] }],
  ['null is a value', { a: null }, {}, { lost: ['a'] }],
  ['undefined is none', { a: undefined }, {}, {}],
  [
    'names that are no plain words',
    { labels: { 'a.b/c': 'x' }, 'x y': { z: 1 } },
    { labels: {}, 'x y': {} },
    { lost: ['labels["a.b/c"]', '["x y"].z'] },
  ],
  ['what every object inherits is no field', { constructor: 1 }, {}, { lost: ['constructor'] }],
]

for (const [name, before, after, { lost = [], changed = [], added = [] }] of rows) {
  test(`compare values: ${name}`, () => {
    const found = compareValues(before, after)
    const pathsOf = (all: readonly { path: string }[]): string[] => all.map(({ path }) => path)
    assert.deepEqual(
      { lost: pathsOf(found.lost), changed: pathsOf(found.changed), added: pathsOf(found.added) },
      { lost, changed, added },
    )
  })
}
