import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropEmpty } from './drop-empty.ts'
import {
  boolean,
  integer,
  microTime,
  objectSchema,
  quantity,
  text,
  textList,
  textMap,
  time,
} from './identity-version.ts'

const schema = objectSchema({
  name: text,
  holder: { ...text, nullable: true },
  count: integer,
  flag: boolean,
  map: { ...textMap, nullable: true },
  list: textList,
  bytes: { ...text, format: 'byte' },
  time,
  amounts: { type: 'object', additionalProperties: quantity },
  micro: microTime,
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
  ['of texts, null is an empty one', { map: { a: null }, list: [null] }, { map: { a: '' }, list: [''] }],
  ['a struct stays, without its empty fields', { spec: { name: '', list: [] } }, { spec: {} }],
  ['base64 is written without line breaks', { bytes: 'YWJj\r\nZGVm\n' }, { bytes: 'YWJjZGVm' }],
  ['times are in UTC', { time: '2026-01-01T01:30:00.9+02:00' }, { time: '2025-12-31T23:30:00Z' }],
  [
    'with microseconds where they have them',
    { micro: '2026-01-01T01:30:00.123456-01:00' },
    { micro: '2026-01-01T02:30:00.123456Z' },
  ],
  [
    'amounts are texts',
    { amounts: { a: 0.5, b: '1000m', c: null } },
    { amounts: { a: '500m', b: '1', c: '0' } },
  ],
  ['metadata is a struct too', { metadata: { labels: {}, name: 'a' } }, { metadata: { name: 'a' } }],
]
for (const [name, object, kept] of cases) {
  test(`drop empty: ${name}`, () => assert.deepEqual(dropEmpty(object, schema), kept))
}
