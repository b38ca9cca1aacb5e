import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carryUnknown, holdsUnknown } from './carry-unknown.ts'
import { prune, type Schema } from './schema.ts'

const port: Schema = { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } } }
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        byKey: {
          type: 'array',
          items: port,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        byMergeKey: { type: 'array', items: port, 'x-kubernetes-patch-merge-key': 'name' },
        atomic: { type: 'array', items: port, 'x-kubernetes-list-type': 'atomic' },
        texts: { type: 'array', items: { type: 'string' } },
        named: { type: 'object', additionalProperties: port },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
}

const cases: ReadonlyArray<[name: string, stored: object, next: object, carried: object]> = [
  ['a field of the object', { new: [1, { a: null }] }, {}, { new: [1, { a: null }] }],
  ['a field below', { spec: { size: 1, new: 1 } }, { spec: { size: 2 } }, { spec: { size: 2, new: 1 } }],
  ['nothing into what is gone', { spec: { new: 1 } }, {}, {}],
  ['nothing into what is no object any more', { spec: { new: 1 } }, { spec: null }, { spec: null }],
  ['nothing where it is already', { new: 1 }, { new: 2 }, { new: 2 }],
  [
    'an entry of a map',
    { spec: { named: { a: { port: 1, new: 1 }, b: { new: 2 } } } },
    { spec: { named: { a: { port: 2 }, c: {} } } },
    { spec: { named: { a: { port: 2, new: 1 }, c: {} } } },
  ],
  [
    'nothing that a free field may drop',
    { spec: { free: { a: 1 } } },
    { spec: { free: {} } },
    { spec: { free: {} } },
  ],
  [
    'elements with keys, wherever they stand',
    {
      spec: {
        byKey: [
          { name: 'a', new: 1 },
          { name: 'b', new: 2 },
          { name: 'c', new: 3 },
        ],
      },
    },
    { spec: { byKey: [{ name: 'c', port: 9 }, { name: 'd' }, { name: 'a' }] } },
    { spec: { byKey: [{ name: 'c', port: 9, new: 3 }, { name: 'd' }, { name: 'a', new: 1 }] } },
  ],
  [
    'elements with keys of patches',
    { spec: { byMergeKey: [{ name: 'a', new: 1 }, { new: 2 }] } },
    { spec: { byMergeKey: [{ port: 1 }, { name: 'a', port: 9 }] } },
    { spec: { byMergeKey: [{ port: 1 }, { name: 'a', port: 9, new: 1 }] } },
  ],
  [
    'unchanged elements without keys, wherever they stand',
    {
      spec: {
        atomic: [
          { port: 1, name: 'x', new: 1 },
          { port: 2, new: 2 },
        ],
      },
    },
    { spec: { atomic: [{ port: 2 }, { port: 3 }, { name: 'x', port: 1 }] } },
    { spec: { atomic: [{ port: 2, new: 2 }, { port: 3 }, { name: 'x', port: 1, new: 1 }] } },
  ],
  [
    'a changed element without keys, in its place',
    {
      spec: {
        atomic: [
          { port: 1, new: 1 },
          { port: 2, new: 2 },
        ],
      },
    },
    { spec: { atomic: [{ port: 1 }, { port: 3 }] } },
    {
      spec: {
        atomic: [
          { port: 1, new: 1 },
          { port: 3, new: 2 },
        ],
      },
    },
  ],
  [
    'nothing into a changed element of a list that grew',
    { spec: { atomic: [{ port: 1, new: 1 }] } },
    { spec: { atomic: [{ port: 2 }, { port: 3 }] } },
    { spec: { atomic: [{ port: 2 }, { port: 3 }] } },
  ],
  [
    'twins each once',
    {
      spec: {
        atomic: [
          { port: 1, new: 1 },
          { port: 1, new: 2 },
        ],
      },
    },
    { spec: { atomic: [{ port: 1 }, { port: 1 }, { port: 1 }] } },
    { spec: { atomic: [{ port: 1, new: 1 }, { port: 1, new: 2 }, { port: 1 }] } },
  ],
  [
    'a field with the name of what objects inherit',
    JSON.parse('{"__proto__":1}'),
    {},
    JSON.parse('{"__proto__":1}'),
  ],
]

for (const [name, stored, next, carried] of cases) {
  test(`carry unknown: ${name}`, () => {
    const [storedBefore, nextBefore] = [JSON.stringify(stored), JSON.stringify(next)]
    const result = carryUnknown(stored, next, schema)
    assert.deepEqual(result, carried)
    assert.equal(JSON.stringify(result).length, JSON.stringify(carried).length)
    assert.deepEqual([JSON.stringify(stored), JSON.stringify(next)], [storedBefore, nextBefore])
  })
}

test('carry unknown: what was pruned comes back whole, and nothing comes into what had nothing', () => {
  for (const [name, stored] of cases) {
    const known = prune(stored, schema, () => {})
    assert.deepEqual(carryUnknown(stored, known, schema), stored, name)
    assert.equal(carryUnknown(known, known, schema), known, name)
    assert.equal(holdsUnknown(known, schema), false, name)
    assert.equal(holdsUnknown(stored, schema), JSON.stringify(known) !== JSON.stringify(stored), name)
  }
})

test('carry unknown: without anything to carry, the object stays the one it is', () => {
  const stored = { spec: { size: 1, atomic: [{ port: 1 }], texts: ['a'], free: { b: 1 } } }
  const next = { spec: { size: 2, atomic: [{ port: 1 }], texts: ['b'], free: { a: 1 } } }
  assert.equal(carryUnknown(stored, next, schema), next)
})
