import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchemaProps } from '@strata/api'
import { generateInstance } from './generate-instance.ts'

const make = (spec: JsonSchemaProps) =>
  generateInstance({
    ...{ apiVersion: 'g.dev/v1', kind: 'Lamp', name: 'a', seed: 's', share: 0, withFields: ['spec'] },
    schema: { type: 'object', properties: { spec } },
  })

const text: JsonSchemaProps = { type: 'string' }
const list = (least: number, items: JsonSchemaProps): JsonSchemaProps => ({
  ...{ type: 'array', minItems: least, items },
})

const tooLarge: readonly JsonSchemaProps[] = [
  list(60_000, text),
  list(300, list(300, text)),
  { type: 'object', minProperties: 60_000, additionalProperties: text },
  { type: 'string', minLength: 1_000_001 },
]
for (const spec of tooLarge) {
  test(`instance: not made up, because it is too large: ${JSON.stringify(spec)}`, () => {
    assert.throws(() => make(spec), /is made up/)
  })
}

test('instance: of the size that a schema asks for', () => {
  const { spec } = make(list(300, text)) as unknown as { readonly spec: readonly string[] }
  assert.equal(spec.length, 300)
})
