import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.ts'
import { reconcileFieldSet } from './reconcile-field-set.ts'

const list = (listType?: 'set' | 'map'): Schema => ({
  type: 'array',
  ...(listType ? { 'x-kubernetes-list-type': listType } : {}),
  items: { type: 'object', properties: { name: { type: 'string' } } },
})
const object = (properties: Record<string, Schema>, more: Partial<Schema> = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
})
const whole = { 'x-kubernetes-map-type': 'atomic' } as const
const element = { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } }

const cases: ReadonlyArray<[name: string, schema: Schema, before: object, want: object]> = [
  ['a list that is owned whole by now', object({ l: list() }), { 'f:l': element }, { 'f:l': {} }],
  ['a list that is not', object({ l: list('map') }), { 'f:l': element }, { 'f:l': element }],
  ['who owned the whole keeps it', object({ l: list('map') }), { 'f:l': {} }, { 'f:l': {} }],
  ['a map', object({ m: object({}, whole) }), { 'f:m': { '.': {}, 'f:a': {} } }, { 'f:m': {} }],
  ['deeper', object({ m: object({ l: list() }) }), { 'f:m': { 'f:l': element } }, { 'f:m': { 'f:l': {} } }],
  [
    'what no schema describes',
    object({ m: {} }),
    { 'f:m': { 'f:a': { 'f:b': {} } } },
    { 'f:m': { 'f:a': { 'f:b': {} } } },
  ],
  ['a field that is no more', object({}), { 'f:gone': { 'f:a': {} } }, { 'f:gone': { 'f:a': {} } }],
]
for (const [name, schema, before, want] of cases) {
  test(`reconcile: ${name}`, () => {
    const set = parseFieldsV1(before)
    const reconciled = reconcileFieldSet(set, schema)
    assert.deepEqual(fieldsV1Of(reconciled), want)
    assert.equal(reconciled === set, JSON.stringify(before) === JSON.stringify(want))
  })
}
