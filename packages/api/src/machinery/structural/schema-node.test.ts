import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

/** A schema that counts how often it is read. */
function watched(schema: Schema): { readonly schema: Schema; readonly looks: () => number } {
  let count = 0
  const wrap = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, key, receiver) {
        count++
        const found: unknown = Reflect.get(target, key, receiver)
        return typeof found === 'object' && found !== null ? wrap(found) : found
      },
      ownKeys(target) {
        const keys = Reflect.ownKeys(target)
        count += keys.length
        return keys
      },
    })
  return { schema: wrap(schema), looks: () => count }
}

function deep(levels: number): Schema {
  const leaf: Schema = { type: 'string', pattern: '^[a-z]*$', default: 'x' }
  if (levels === 0) return leaf
  const fields = Array.from({ length: 20 }, (_, index) => [`f${index}`, index < 2 ? deep(levels - 1) : leaf])
  return { type: 'object', properties: Object.fromEntries(fields) as Record<string, Schema> }
}

test('schemas: installing one costs nothing, and an object only what is in it', () => {
  const { schema, looks } = watched({ type: 'object', properties: { spec: deep(6) } })
  const structural = compileStructuralSchema(schema)
  assert.equal(looks(), 0)
  const use = (): void => {
    const object = { metadata: {}, spec: { f0: { f1: { f5: 'a' } }, unknown: 1 } } as unknown as ApiObject
    structural.prune(object, () => undefined)
    structural.applyDefaults(object)
    assert.deepEqual(structural.validate(object), [])
  }
  use()
  const first = looks()
  use()
  // It has some sixty fields once it has its defaults. The schema has two thousand places.
  assert.ok(looks() - first < 1000, `${looks() - first} looks`)
})
