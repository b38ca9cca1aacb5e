import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsDefaults } from './holds-defaults.ts'
import type { Schema } from './schema.ts'

const plain: Schema = { type: 'string' }
const filled: Schema = { type: 'object', properties: { a: { type: 'string', default: 'x' } } }

/** A schema that leads back to itself, as that of a schema does. */
function circular(more: Record<string, Schema>): Schema {
  const properties: Record<string, Schema> = { ...more }
  const schema: Schema = { type: 'object', properties }
  properties.again = schema
  return schema
}

const cases: readonly { readonly name: string; readonly schema: Schema; readonly expected: boolean }[] = [
  { name: 'a value without fields', schema: plain, expected: false },
  {
    name: 'its own default, which its parent fills in',
    schema: { ...plain, default: 'x' },
    expected: false,
  },
  { name: 'fields without one', schema: { properties: { a: plain, b: { items: plain } } }, expected: false },
  { name: 'any fields at all', schema: { additionalProperties: true }, expected: false },
  { name: 'a field with one', schema: filled, expected: true },
  { name: 'a default of false', schema: { properties: { a: { default: false } } }, expected: true },
  { name: 'one below a field', schema: { properties: { a: plain, b: filled } }, expected: true },
  { name: 'one in the items of a list', schema: { items: filled }, expected: true },
  { name: 'one in fields of any name', schema: { additionalProperties: filled }, expected: true },
  { name: 'a circle without one', schema: circular({ a: plain }), expected: false },
  { name: 'a circle with one', schema: circular({ a: plain, b: filled }), expected: true },
]

for (const { name, schema, expected } of cases) {
  test(`holds defaults: ${name}`, () => {
    assert.equal(holdsDefaults(schema), expected)
    assert.equal(holdsDefaults(schema), expected)
  })
}

test('holds defaults: schemas that lead to a circle are asked in any order', () => {
  const circle = circular({ deep: { properties: { a: filled } } })
  const beside = circular({ a: plain })
  assert.equal(holdsDefaults({ properties: { beside } }), false)
  assert.equal(holdsDefaults({ properties: { beside, circle } }), true)
  assert.equal(holdsDefaults(circle), true)
  assert.equal(holdsDefaults(beside), false)
})
