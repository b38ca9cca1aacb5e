import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PatchError, type PatchErrorCode } from './patch-error.ts'
import { schema } from './strategic-merge-for-test.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))

const refused: ReadonlyArray<
  [name: string, document: Record<string, unknown>, patch: unknown, code: PatchErrorCode, message: string]
> = [
  [
    'a list',
    {},
    [],
    'malformed',
    'json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    'an unknown directive',
    { data: {} },
    { data: { $patch: 'frob', x: 1 } },
    'unexpected',
    'unknown patch type: frob in map: map[$patch:frob x:1]',
  ],
  [
    'merge as a directive',
    { data: {} },
    { data: { $patch: 'merge' } },
    'unexpected',
    'unknown patch type: merge in map: map[$patch:merge]',
  ],
  [
    'merge as a directive of a list',
    { list: named('a') },
    { list: [{ $patch: 'merge' }] },
    'unexpected',
    'merging lists cannot yet be specified in the patch',
  ],
  [
    'an unknown directive of a list',
    { list: named('a') },
    { list: [{ $patch: 'frob' }] },
    'unexpected',
    'unknown patch type: frob in map: map[$patch:frob]',
  ],
  [
    'an element without its key',
    { list: named('a') },
    { list: [{ value: '1' }] },
    'unexpected',
    'map: map[value:1] does not contain declared merge key: name',
  ],
  [
    'a deletion without its key',
    { list: named('a') },
    { list: [{ $patch: 'delete' }] },
    'unexpected',
    'map: map[$patch:delete] does not contain declared merge key: name',
  ],
  [
    'maps without a key to merge by',
    { keyless: named('a') },
    { keyless: named('b') },
    'unexpected',
    'cannot merge lists without merge key for struct',
  ],
  [
    'elements of several kinds',
    { set: ['a'] },
    { set: [{ name: 'x' }] },
    'unexpected',
    'list element types are not identical: [[a] [map[name:x]]]',
  ],
  ['lists of lists', { set: [] }, { set: [['a']] }, 'not-applicable', 'lists of lists are not supported'],
  [
    'a deletion list that names no list',
    { set: [] },
    { $deleteFromPrimitiveList: ['a'] },
    'malformed',
    'invalid patch format of primitive list',
  ],
  [
    'an order that names no list',
    {},
    { $setElementOrder: [] },
    'malformed',
    'invalid patch format of setElementOrder list',
  ],
  [
    'an order that is no list',
    {},
    { '$setElementOrder/set': 'x' },
    'unexpected',
    'expected a []interface {}, but received a string',
  ],
  [
    'an order that leaves out an element',
    { list: named('1') },
    { '$setElementOrder/list': named('1'), list: named('2') },
    'unexpected',
    "The order in patch list:\n[map[name:2]]\n doesn't match $setElementOrder list:\n[map[name:1]]\n",
  ],
  [
    'an order that is another than the elements have',
    { set: ['1'] },
    { '$setElementOrder/set': ['1', '2'], set: ['2', '1'] },
    'unexpected',
    "The order in patch list:\n[2 1]\n doesn't match $setElementOrder list:\n[1 2]\n",
  ],
  [
    'an order of an unknown field',
    {},
    { '$setElementOrder/frob': [] },
    'unexpected',
    'unable to find api field in struct Thing for the json field "frob"',
  ],
  [
    'an order inside of a map',
    { data: { x: '1' } },
    { data: { '$setElementOrder/x': [] } },
    'unexpected',
    'expected a []interface {}, but received a string',
  ],
  [
    'a key that is not retained',
    { retained: {} },
    { retained: { $retainKeys: ['name'], value: '1' } },
    'malformed',
    'invalid patch format of retainKeys',
  ],
  [
    'retained keys that are no list',
    { retained: {} },
    { retained: { $retainKeys: 'name' } },
    'malformed',
    'invalid patch format of retainKeys',
  ],
]
for (const [name, document, patch, code, message] of refused) {
  test(`strategic merge patch: refuses ${name}`, () => {
    assert.throws(
      () => applyStrategicMergePatch(document, patch, schema, 'Thing'),
      new PatchError(code, message),
    )
  })
}
