import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropEmpty } from './drop-empty.ts'
import { boolean, integer, objectSchema, text, textList, textMap } from './identity-version.ts'

const schema = objectSchema({
  name: text,
  holder: { ...text, nullable: true },
  count: integer,
  flag: boolean,
  map: { ...textMap, nullable: true },
  list: textList,
  spec: { type: 'object', default: {}, properties: { name: text, list: textList } },
})

const cases: ReadonlyArray<[name: string, object: unknown, kept: unknown]> = [
  ['null and empty fields go', { name: '', map: {}, list: [], spec: null }, {}],
  ['numbers and booleans stay', { count: 0, flag: false }, { count: 0, flag: false }],
  ['a pointer to an empty string stays', { holder: '' }, { holder: '' }],
  ['but not one to nothing', { holder: null }, {}],
  [
    'entries of maps and lists are not fields',
    { map: { a: '' }, list: [''] },
    { map: { a: '' }, list: [''] },
  ],
  ['a struct stays, without its empty fields', { spec: { name: '', list: [] } }, { spec: {} }],
  ['metadata is a struct too', { metadata: { labels: {}, name: 'a' } }, { metadata: { name: 'a' } }],
]
for (const [name, object, kept] of cases) {
  test(`drop empty: ${name}`, () => assert.deepEqual(dropEmpty(object, schema), kept))
}
