import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import type { Schema, SchemaType } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

/** The same numbers for the same seed, whatever machine runs them. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Pick = (below: number) => number
const names = ['a', 'b', 'c', 'name', 'constructor', '__proto__', 'x.y']
const types: readonly SchemaType[] = ['object', 'array', 'string', 'integer', 'number', 'boolean']

function fields<T>(pick: Pick, make: () => T): Record<string, T> {
  const chosen = names.filter(() => pick(3) === 0)
  return Object.defineProperties(
    {},
    Object.fromEntries(
      chosen.map((name) => [
        name,
        { value: make(), enumerable: true, configurable: true, writable: true } satisfies PropertyDescriptor,
      ]),
    ),
  ) as Record<string, T>
}

function randomSchema(pick: Pick, depth: number): Schema {
  const type = types[pick(depth > 0 ? types.length : types.length * 2)] ?? 'string'
  const rest: Partial<Schema> = {
    ...(pick(4) === 0 ? { nullable: true } : {}),
    ...(pick(4) === 0 ? { default: randomValue(pick, 1) } : {}),
    ...(pick(6) === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(pick(6) === 0 ? { minimum: pick(5), maximum: 4, minLength: pick(3), pattern: '^[a-z]' } : {}),
    ...(pick(8) === 0 ? { anyOf: [{ required: ['a'] }, { type: 'string' as const, format: 'date' }] } : {}),
    ...(pick(8) === 0 ? { not: { enum: ['a', 1] } } : {}),
  }
  if (type === 'array') {
    const listType = (['atomic', 'set', 'map'] as const)[pick(3)] ?? 'atomic'
    return {
      type,
      'x-kubernetes-list-type': listType,
      ...(listType === 'map' ? { 'x-kubernetes-list-map-keys': ['name'] } : {}),
      items: randomSchema(pick, depth - 1),
      ...rest,
    }
  }
  if (type !== 'object') return { type, ...rest }
  if (pick(4) === 0)
    return { type, additionalProperties: pick(4) === 0 || randomSchema(pick, depth - 1), ...rest }
  return {
    type,
    properties: fields(pick, () => randomSchema(pick, depth - 1)),
    ...(pick(4) === 0 ? { required: ['a', 'constructor'] } : {}),
    ...rest,
  }
}

function randomValue(pick: Pick, depth: number): unknown {
  const scalars = [null, true, 0, 5, 1.5, '', 'a', '1999-01-01', 'longer text']
  const kind = depth > 0 ? pick(4) : 3
  if (kind === 0) return Array.from({ length: pick(4) }, () => randomValue(pick, depth - 1))
  return kind < 3 ? fields(pick, () => randomValue(pick, depth - 1)) : scalars[pick(scalars.length)]
}

/** Most values of a kind that the schema asks for, so that something is left to look at. */
function valueFor(schema: Schema, pick: Pick): unknown {
  if (pick(6) === 0) return randomValue(pick, 2)
  if (schema.type === 'array')
    return Array.from({ length: pick(4) }, () => valueFor(schema.items ?? {}, pick))
  if (schema.type === 'object') {
    const { properties = {}, additionalProperties } = schema
    if (typeof additionalProperties === 'object')
      return fields(pick, () => valueFor(additionalProperties, pick))
    const value = fields(pick, () => randomValue(pick, 1))
    for (const [name, below] of Object.entries(properties)) {
      if (pick(3) > 0 && name !== '__proto__') value[name] = valueFor(below, pick)
    }
    return value
  }
  return randomValue(pick, 0)
}

test('properties: what was done once need not be done again, and what was there may stay', () => {
  let wrong = 0
  for (let seed = 1; seed <= 3000; seed++) {
    const pick = chance(seed)
    const spec = randomSchema(pick, 3)
    const structural = compileStructuralSchema({ type: 'object', properties: { spec } })
    const object = { metadata: { name: 'a' }, spec: valueFor(spec, pick), x: 1 } as unknown as ApiObject
    const known = JSON.stringify(object)
    const text = (): string => JSON.stringify(object)
    if (structural.validate(object).length > 0) wrong++
    structural.validateUpdate(object, JSON.parse(known) as ApiObject)
    assert.equal(text(), known, `seed ${seed}: looking changes nothing`)
    structural.prune(object)
    const pruned = text()
    structural.prune(object, (path) => assert.fail(`seed ${seed}: ${path}`))
    assert.equal(text(), pruned, `seed ${seed}: pruned twice`)
    structural.applyDefaults(object)
    const filled = text()
    structural.applyDefaults(object)
    assert.equal(text(), filled, `seed ${seed}: defaulted twice`)
    assert.deepEqual(structural.validateUpdate(object, JSON.parse(filled) as ApiObject), [], `seed ${seed}`)
    assert.equal(Object.getPrototypeOf(object), Object.prototype)
  }
  // Else the seeds would show nothing.
  assert.ok(wrong > 500, String(wrong))
})
