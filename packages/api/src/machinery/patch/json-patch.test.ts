import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyJsonPatch } from './json-patch.ts'
import { cloneJson } from './json-value.ts'
import { PatchError, type PatchErrorCode } from './patch-error.ts'

const cases: ReadonlyArray<[name: string, document: string, patch: string, want: string]> = [
  // RFC 6902, appendix A.
  ['A.1 a field', '{"foo":"bar"}', '[{"op":"add","path":"/baz","value":"qux"}]', '{"foo":"bar","baz":"qux"}'],
  [
    'A.2 an element',
    '{"foo":["bar","baz"]}',
    '[{"op":"add","path":"/foo/1","value":"qux"}]',
    '{"foo":["bar","qux","baz"]}',
  ],
  ['A.3 a field goes', '{"baz":"qux","foo":"bar"}', '[{"op":"remove","path":"/baz"}]', '{"foo":"bar"}'],
  [
    'A.4 an element goes',
    '{"foo":["bar","qux","baz"]}',
    '[{"op":"remove","path":"/foo/1"}]',
    '{"foo":["bar","baz"]}',
  ],
  ['A.5 replace', '{"baz":"qux"}', '[{"op":"replace","path":"/baz","value":"boo"}]', '{"baz":"boo"}'],
  [
    'A.6 a field moves',
    '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
    '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
    '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
  ],
  [
    'A.7 an element moves',
    '{"foo":["all","grass","cows","eat"]}',
    '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
    '{"foo":["all","cows","eat","grass"]}',
  ],
  [
    'A.8 test',
    '{"baz":"qux","foo":["a",2,"c"]}',
    '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
    '{"baz":"qux","foo":["a",2,"c"]}',
  ],
  [
    'A.10 a nested object',
    '{"foo":"bar"}',
    '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
    '{"foo":"bar","child":{"grandchild":{}}}',
  ],
  [
    'A.11 unknown members',
    '{"foo":"bar"}',
    '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
    '{"foo":"bar","baz":"qux"}',
  ],
  ['A.14 tilde', '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"/":9,"~1":10}'],
  [
    'A.16 a list into a list',
    '{"foo":["bar"]}',
    '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
    '{"foo":["bar",["abc","def"]]}',
  ],
  // Ours, and upstream's leniencies.
  ['an empty name is a name', '{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
  [
    'copy',
    '{"a":{"b":1}}',
    '[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/d","value":2}]',
    '{"a":{"b":1},"c":{"b":1,"d":2}}',
  ],
  ['an absent field is replaced', '{"a":{}}', '[{"op":"replace","path":"/a/b","value":1}]', '{"a":{"b":1}}'],
  ['an absent field passes for null', '{}', '[{"op":"test","path":"/a","value":null}]', '{}'],
  [
    'a negative place counts from the end',
    '{"a":[1,2,3]}',
    '[{"op":"remove","path":"/a/-1"}]',
    '{"a":[1,2]}',
  ],
  ['the whole document is replaced', '{"a":1}', '[{"op":"replace","path":"","value":{"b":2}}]', '{"b":2}'],
  [
    'the whole document is tested',
    '{"a":1,"b":2}',
    '[{"op":"test","path":"","value":{"b":2,"a":1}}]',
    '{"a":1,"b":2}',
  ],
  ['1.0 is 1', '{"a":1}', '[{"op":"test","path":"/a","value":1.0}]', '{"a":1}'],
  ['null is no patch', '{"a":1}', 'null', '{"a":1}'],
  [
    '__proto__ is a field',
    '{"a":{}}',
    '[{"op":"add","path":"/a/__proto__","value":{"x":1}},{"op":"add","path":"/a/__proto__/y","value":2}]',
    '{"a":{"__proto__":{"x":1,"y":2}}}',
  ],
]
for (const [name, document, patch, want] of cases) {
  test(`JSON patch: ${name}`, () => {
    const [before, operations] = [JSON.parse(document), JSON.parse(patch)]
    const [documentCopy, patchCopy] = [cloneJson(before), cloneJson(operations)]
    assert.equal(JSON.stringify(applyJsonPatch(before, operations)), want)
    assert.deepEqual([before, operations], [documentCopy, patchCopy], 'arguments stay as they were')
  })
}

const refused: ReadonlyArray<[name: string, code: PatchErrorCode, document: string, patch: string]> = [
  ['A.9 a failed test', 'test-failed', '{"baz":"qux"}', '[{"op":"test","path":"/baz","value":"bar"}]'],
  [
    'A.12 no such parent',
    'not-applicable',
    '{"foo":"bar"}',
    '[{"op":"add","path":"/baz/bat","value":"qux"}]',
  ],
  ['A.15 a text is no number', 'test-failed', '{"~1":10}', '[{"op":"test","path":"/~01","value":"10"}]'],
  ['remove what is not there', 'not-applicable', '{"data":{}}', '[{"op":"remove","path":"/data/nope"}]'],
  ['replace where no parent is', 'not-applicable', '{}', '[{"op":"replace","path":"/nope/x","value":1}]'],
  ['move what is not there', 'not-applicable', '{}', '[{"op":"move","from":"/a","path":"/b"}]'],
  ['move into itself', 'not-applicable', '{"a":{"b":{}}}', '[{"op":"move","from":"/a","path":"/a/b/c"}]'],
  ['an unknown operation', 'not-applicable', '{}', '[{"op":"frob","path":"/x","value":"1"}]'],
  ['no operation', 'not-applicable', '{}', '[{}]'],
  ['no path', 'not-applicable', '{}', '[{"op":"add","value":"1"}]'],
  ['a path without a slash', 'not-applicable', '{"x":1}', '[{"op":"remove","path":"data/x"}]'],
  ['an element beyond the end', 'not-applicable', '{"a":[1]}', '[{"op":"add","path":"/a/2","value":1}]'],
  ['an element that is no number', 'not-applicable', '{"a":[1]}', '[{"op":"remove","path":"/a/length"}]'],
  ['replace the end of a list', 'not-applicable', '{"a":[1]}', '[{"op":"replace","path":"/a/-","value":1}]'],
  ['the whole becomes a number', 'not-applicable', '{}', '[{"op":"replace","path":"","value":1}]'],
  [
    'what objects inherit is no field',
    'not-applicable',
    '{}',
    '[{"op":"add","path":"/constructor/x","value":1}]',
  ],
  ['the prototype is no field', 'not-applicable', '{}', '[{"op":"add","path":"/__proto__/x","value":1}]'],
]
for (const [name, code, document, patch] of refused) {
  test(`JSON patch: refuses ${name}`, () => {
    assert.throws(
      () => applyJsonPatch(JSON.parse(document), JSON.parse(patch)),
      (error) => error instanceof PatchError && error.code === code,
    )
  })
}

const decoding = (what: string): string => `error decoding patch: json: cannot unmarshal ${what}`
const malformed: ReadonlyArray<[patch: unknown, message: string]> = [
  [{ op: 'add' }, decoding('object into Go value of type []handlers.jsonPatchOp')],
  [['x'], decoding('string into Go value of type handlers.jsonPatchOp')],
  [[{ op: 1 }], decoding('number into Go struct field jsonPatchOp.op of type string')],
]
for (const [patch, message] of malformed) {
  test(`JSON patch: ${JSON.stringify(patch)} is malformed`, () => {
    assert.throws(() => applyJsonPatch({}, patch), new PatchError('malformed', message))
  })
}

test('JSON patch: ten thousand operations are enough', () => {
  const operations = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }))
  assert.deepEqual(applyJsonPatch({ a: 1 }, operations(10_000)), { a: 1 })
  const message =
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001'
  assert.throws(
    () => applyJsonPatch({ a: 1 }, operations(10_001)),
    new PatchError('too-many-operations', message),
  )
})

test('JSON patch: copies that double each time run out of budget', () => {
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
  const document = { a: ['x'.repeat(1000)] }
  assert.throws(
    () => applyJsonPatch(document, doubling),
    (error) => error instanceof PatchError && error.code === 'copy-too-large',
  )
})
