import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldSetOf } from './field-set.ts'
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.ts'
import { FieldsV1Malformed, keyElement, valueElement } from './path-element.ts'

const texts: ReadonlyArray<[name: string, read: string, written: string]> = [
  ['as recorded', '{"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}}', ''],
  ['empty', '{}', ''],
  [
    'fields, keys, values, places',
    '{"i:2":{},"i:10":{},"v:true":{},"v:1":{},"v:\\"b\\"":{},"k:{\\"a\\":1}":{},"f:z":{},"f:a":{}}',
    '{"f:a":{},"f:z":{},"k:{\\"a\\":1}":{},"v:1":{},"v:\\"b\\"":{},"v:true":{},"i:2":{},"i:10":{}}',
  ],
  ['numbers by size', '{"v:10":{},"v:9":{},"v:-1":{}}', '{"v:-1":{},"v:9":{},"v:10":{}}'],
  ['keys in their order', '{"k:{\\"b\\":2,\\"a\\":1}":{}}', '{"k:{\\"a\\":1,\\"b\\":2}":{}}'],
  [
    'shorter keys first',
    '{"k:{\\"a\\":1,\\"b\\":2}":{},"k:{\\"a\\":1}":{}}',
    '{"k:{\\"a\\":1}":{},"k:{\\"a\\":1,\\"b\\":2}":{}}',
  ],
  ['bytes, not UTF-16', '{"f:\u{1f600}":{},"f:\uffee":{}}', '{"f:\uffee":{},"f:\u{1f600}":{}}'],
  ['unknown steps are left out', '{"x:1":{},"f:a":{"y:2":{}}}', '{"f:a":{}}'],
  ['a dot alone is nothing more', '{"f:a":{".":{}}}', '{"f:a":{}}'],
  [
    'two texts of one key',
    '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{}},"k:{\\"b\\":2,\\"a\\":1}":{"f:y":{}}}',
    '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{},"f:y":{}}}',
  ],
  ['large integers', '{"v:9007199254740993":{}}', ''],
  ['__proto__', '{"f:__proto__":{"f:x":{}}}', ''],
]
for (const [name, read, written] of texts) {
  test(`FieldsV1: ${name}`, () => {
    assert.equal(JSON.stringify(fieldsV1Of(parseFieldsV1(JSON.parse(read)))), written || read)
  })
}

for (const text of [
  '{"f":{}}',
  '{"":{}}',
  '{"data":{}}',
  '{"v:x":{}}',
  '{"k:1":{}}',
  '{"i:x":{}}',
  '{"f:a":1}',
  '[]',
]) {
  test(`FieldsV1: ${text} is malformed`, () => {
    assert.throws(() => parseFieldsV1(JSON.parse(text)), FieldsV1Malformed)
  })
}

test('FieldsV1: values are written as upstream writes them', () => {
  const set = fieldSetOf([keyElement({ port: 80, name: 'a<b' })], [valueElement('c&d\u2028')])
  assert.deepEqual(Object.keys(fieldsV1Of(set)), ['k:{"name":"a\\u003cb","port":80}', 'v:"c\\u0026d\\u2028"'])
})
