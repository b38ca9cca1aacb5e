import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneJson } from './json-value.ts'
import { schema } from './strategic-merge-for-test.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))
const finalizers = (...each: string[]) => ({ metadata: { finalizers: each } })

const cases: ReadonlyArray<[name: string, document: object, patch: unknown, want: object]> = [
  ['a field is set', { name: 'a' }, { name: 'b', data: { x: '1' } }, { name: 'b', data: { x: '1' } }],
  [
    'null deletes',
    { name: 'a', data: { x: '1', y: '2' } },
    { name: null, data: { x: null } },
    { data: { y: '2' } },
  ],
  ['null of what is not there is nothing', {}, { name: null, struct: { value: null } }, { struct: {} }],
  ['null is no patch', { name: 'a' }, null, { name: 'a' }],
  ['an empty patch changes nothing', { list: named('a') }, {}, { list: named('a') }],
  ['maps merge', { data: { x: '1', y: '2' } }, { data: { y: '3' } }, { data: { x: '1', y: '3' } }],
  [
    'a struct may be replaced by its strategy',
    { whole: { name: 'a', value: '1' } },
    { whole: { name: 'b' } },
    { whole: { name: 'b' } },
  ],
  [
    'a map is replaced by a directive',
    { data: { x: '1' } },
    { data: { $patch: 'replace', y: '2' } },
    { data: { y: '2' } },
  ],
  ['a map is emptied by a directive', { data: { x: '1' } }, { data: { $patch: 'delete' } }, { data: {} }],
  [
    'all is replaced by a directive',
    { name: 'a', data: {} },
    { $patch: 'replace', name: 'b' },
    { name: 'b' },
  ],
  ['all is deleted by a directive', { name: 'a' }, { $patch: 'delete' }, {}],
  ['a directive about what is not there is dropped', {}, { data: { $patch: 'replace', y: '2' } }, {}],
  [
    'a directive below what is not there is dropped',
    {},
    { struct: { name: 'a', list: [{ $patch: 'delete', name: 'x' }] } },
    { struct: { name: 'a', list: [] } },
  ],
  ['a value of another nature is replaced', { data: { x: '1' } }, { data: 'text' }, { data: 'text' }],
  [
    'lists without a strategy are replaced',
    { atomic: named('a'), texts: ['x'] },
    { atomic: named('b'), texts: ['y'] },
    { atomic: named('b'), texts: ['y'] },
  ],
  ['an empty list replaces one without a strategy', { texts: ['x'] }, { texts: [] }, { texts: [] }],
  ['an empty list changes nothing in one that merges', { set: ['x'] }, { set: [] }, { set: ['x'] }],
  // Lists of scalars.
  ['finalizers merge', finalizers('a', 'b'), finalizers('b', 'c'), finalizers('a', 'b', 'c')],
  ['elements come once', { set: ['a'] }, { set: ['b', 'b', 'a'] }, { set: ['b', 'a'] }],
  [
    'the order of the patch counts, and new elements come as early as they can',
    { set: ['1', '2', '3'] },
    { set: ['4', '3', '1'] },
    { set: ['4', '2', '3', '1'] },
  ],
  [
    'elements are deleted by value',
    finalizers('a', 'b', 'a'),
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'z'] } },
    finalizers('b'),
  ],
  [
    'elements of a list without a strategy too',
    { texts: ['a', 'b'] },
    { '$deleteFromPrimitiveList/texts': ['a'] },
    { texts: ['b'] },
  ],
  [
    'elements are deleted and added',
    { set: ['a', 'b'] },
    { '$deleteFromPrimitiveList/set': ['a'], set: ['c'] },
    { set: ['c', 'b'] },
  ],
  ['nothing is deleted from nothing', {}, { '$deleteFromPrimitiveList/set': ['a'] }, {}],
  ['numbers are the same as numbers', { set: [1, 2] }, { set: JSON.parse('[2.0, 3]') }, { set: [1, 2, 3] }],
  [
    'an order for scalars',
    { set: ['a', 'b', 'c'] },
    { '$setElementOrder/set': ['c', 'd', 'a'], set: ['d'] },
    { set: ['b', 'c', 'd', 'a'] },
  ],
  // Lists of maps.
  [
    'elements merge by key',
    { list: [{ name: 'a', value: '1' }, { name: 'b' }] },
    { list: [{ name: 'a', other: '2' }] },
    { list: [{ name: 'a', value: '1', other: '2' }, { name: 'b' }] },
  ],
  [
    'new elements come first',
    { list: named('a', 'b') },
    { list: named('c') },
    { list: named('c', 'a', 'b') },
  ],
  [
    'owner references merge by uid',
    { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } },
    { metadata: { ownerReferences: [{ uid: '2', name: 'b' }] } },
    {
      metadata: {
        ownerReferences: [
          { uid: '2', name: 'b' },
          { uid: '1', name: 'a' },
        ],
      },
    },
  ],
  [
    'an element is deleted',
    { list: named('a', 'b', 'a') },
    { list: [{ $patch: 'delete', name: 'a' }] },
    { list: named('b') },
  ],
  [
    'an element that is not there is deleted',
    { list: named('a') },
    { list: [{ $patch: 'delete', name: 'z' }] },
    { list: named('a') },
  ],
  [
    'elements are deleted and added',
    { list: named('a', 'b') },
    { list: [{ $patch: 'delete', name: 'a' }, { name: 'c' }] },
    { list: named('c', 'b') },
  ],
  [
    'a list is replaced by a directive',
    { list: named('a', 'b') },
    { list: [{ name: 'c' }, { $patch: 'replace' }, { name: 'a', value: '1' }] },
    { list: [{ name: 'c' }, { name: 'a', value: '1' }] },
  ],
  ['a list is emptied by a directive', { list: named('a') }, { list: [{ $patch: 'replace' }] }, { list: [] }],
  [
    'an element is replaced by itself',
    { list: [{ name: 'a', value: '1' }] },
    { list: [{ name: 'a', value: null, other: '2' }] },
    { list: [{ name: 'a', other: '2' }] },
  ],
  [
    'twins in the patch merge',
    { list: [] },
    {
      list: [
        { name: 'a', value: '1' },
        { name: 'a', other: '2' },
      ],
    },
    { list: [{ name: 'a', value: '1', other: '2' }] },
  ],
  [
    'lists in lists merge',
    { nested: [{ name: 'x', list: named('a') }] },
    { nested: [{ name: 'x', list: named('b') }] },
    { nested: [{ name: 'x', list: named('b', 'a') }] },
  ],
  [
    'lists in elements without a strategy are replaced',
    { list: [{ name: 'a', tags: ['x'] }] },
    { list: [{ name: 'a', tags: ['y'] }] },
    { list: [{ name: 'a', tags: ['y'] }] },
  ],
  [
    'a list that was not there loses its directives',
    {},
    {
      list: [
        { $patch: 'delete', name: 'a' },
        { name: 'b', value: null },
      ],
    },
    { list: named('b') },
  ],
  // $setElementOrder.
  [
    'an order alone',
    { list: named('1', '2', '3') },
    { '$setElementOrder/list': named('3', '1', '2') },
    { list: named('3', '1', '2') },
  ],
  [
    'an order of some; the others keep theirs',
    { list: named('1', '2', '3', '4') },
    { '$setElementOrder/list': named('3', '1') },
    { list: named('2', '3', '1', '4') },
  ],
  [
    'an order with new elements',
    { list: named('1', '2') },
    { '$setElementOrder/list': named('2', '3', '1'), list: [{ name: '3', value: 'x' }] },
    { list: [{ name: '2' }, { name: '3', value: 'x' }, { name: '1' }] },
  ],
  [
    'an order with deletions',
    { list: named('1', '2', '3') },
    { '$setElementOrder/list': named('3', '2'), list: [{ $patch: 'delete', name: '1' }] },
    { list: named('3', '2') },
  ],
  [
    'an order of a list that is new',
    {},
    { '$setElementOrder/list': named('2', '1'), list: named('2', '1') },
    { list: named('2', '1') },
  ],
  ['an order of nothing', {}, { '$setElementOrder/list': named('2', '1') }, {}],
  [
    'an order of elements that are gone',
    { list: named('1') },
    { '$setElementOrder/list': named('9', '1') },
    { list: named('1') },
  ],
  // $retainKeys.
  [
    'only retained keys stay',
    { retained: { name: 'a', value: '1', other: '2' } },
    { retained: { $retainKeys: ['name', 'value'], value: '3' } },
    { retained: { name: 'a', value: '3' } },
  ],
  [
    'a retained key need not be there',
    { retained: { name: 'a' } },
    { retained: { $retainKeys: ['value'], name: null, value: '3' } },
    { retained: { value: '3' } },
  ],
  [
    'keys are retained in elements',
    { union: [{ name: 'a', value: '1' }] },
    { union: [{ $retainKeys: ['name', 'other'], name: 'a', other: '2' }] },
    { union: [{ name: 'a', other: '2' }] },
  ],
]
for (const [name, document, patch, want] of cases) {
  test(`strategic merge patch: ${name}`, () => {
    const [before, sent] = [cloneJson(document), cloneJson(patch)]
    assert.deepEqual(
      applyStrategicMergePatch(document as Record<string, unknown>, patch, schema, 'Thing'),
      want,
    )
    assert.deepEqual([document, patch], [before, sent], 'arguments stay as they were')
  })
}
