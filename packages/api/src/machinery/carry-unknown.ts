import { elementOf } from './managed-fields/list-elements.ts'
import { cloneJson, fieldOf, isJsonObject, type JsonObject, setField } from './patch/json-value.ts'
import { additionalSchema, prune, type Schema } from './schema.ts'

/** Whether `prune` would take something away. Allocates nothing, for almost always it would not. */
export function holdsUnknown(value: unknown, schema: Schema): boolean {
  if (Array.isArray(value)) {
    const { items } = schema
    return items !== undefined && value.some((each) => holdsUnknown(each, items))
  }
  if (!isJsonObject(value)) return false
  for (const field in value) {
    const below = schemaOf(schema, field)
    if (!below) {
      if (!schema['x-kubernetes-preserve-unknown-fields']) return true
      continue
    }
    const each = value[field]
    if (typeof each === 'object' && holdsUnknown(each, below)) return true
  }
  return false
}

/**
 * `next` with the fields that the stored object has and the schema does not know. A newer release wrote them; the client that
 * made `next` could not see them, so it cannot have meant to remove them (agreement.md, rule 16). Neither argument is changed;
 * without anything to carry over, the answer is `next` itself.
 *
 * If a value is gone from `next`, the unknown fields in it go too. Items of a list with keys match by their keys.
 * Without keys: an item that is unchanged, as far as the schema knows, matches wherever it stands now; the other
 * items match by position, if both lists have the same length.
 */
export function carryUnknown<T>(stored: unknown, next: T, schema: Schema): T
export function carryUnknown(stored: unknown, next: unknown, schema: Schema): unknown {
  if (Array.isArray(stored)) return Array.isArray(next) ? carryIntoList(stored, next, schema) : next
  return isJsonObject(stored) && isJsonObject(next) ? carryIntoObject(stored, next, schema) : next
}

function carryIntoObject(stored: JsonObject, next: JsonObject, schema: Schema): JsonObject {
  let result = next
  const set = (field: string, value: unknown): void => {
    if (result === next) result = { ...next }
    setField(result, field, value)
  }
  for (const field of Object.keys(stored)) {
    const below = schemaOf(schema, field)
    const isThere = Object.hasOwn(next, field)
    if (below) {
      if (!isThere) continue
      const carried = carryUnknown(stored[field], next[field], below)
      if (carried !== next[field]) set(field, carried)
    } else if (!isThere && !schema['x-kubernetes-preserve-unknown-fields']) {
      set(field, cloneJson(stored[field]))
    }
  }
  return result
}

function carryIntoList(
  stored: readonly unknown[],
  next: readonly unknown[],
  schema: Schema,
): readonly unknown[] {
  const { items } = schema
  if (!items || !stored.some((each) => holdsUnknown(each, items))) return next
  const before = elementsBefore(stored, next, schema, items)
  let isChanged = false
  const result = next.map((each, index) => {
    const carried = carryUnknown(before[index], each, items)
    isChanged ||= carried !== each
    return carried
  })
  return isChanged ? result : next
}

/** For each element of `next`, what it was before. */
function elementsBefore(
  stored: readonly unknown[],
  next: readonly unknown[],
  schema: Schema,
  items: Schema,
): readonly unknown[] {
  const keyOf = keyIn(schema)
  const signOf = (each: unknown): string =>
    keyOf?.(each) ?? `unkeyed ${canonicalText(prune(each, items, () => {}))}`
  const places = new Map<string, number[]>()
  for (const [place, each] of stored.entries()) {
    const sign = signOf(each)
    const twins = places.get(sign)
    if (twins) twins.push(place)
    else places.set(sign, [place])
  }
  const taken = new Set<number>()
  const found = next.map((each) => {
    // Lists are short, and duplicates are rare: shifting costs nothing.
    const place = places.get(signOf(each))?.shift()
    if (place !== undefined) taken.add(place)
    return place
  })
  const byPlace = keyOf === undefined && stored.length === next.length
  return found.map((place, index) =>
    place !== undefined ? stored[place] : byPlace && !taken.has(index) ? stored[index] : undefined,
  )
}

/** The keys that identify the items of a list; `undefined` for a list without keys. */
function keyIn(schema: Schema): ((element: unknown) => string | undefined) | undefined {
  if (schema['x-kubernetes-list-type'] === 'map') return (element) => elementOf(element, schema)
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  if (mergeKey === undefined) return undefined
  return (element) => {
    const key = isJsonObject(element) ? fieldOf(element, mergeKey) : undefined
    return key === undefined ? undefined : `key ${canonicalText(key)}`
  }
}

/** The same for equal values, whatever the order of their fields. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(
          Object.keys(each)
            .sort()
            .map((field) => [field, each[field]]),
        )
      : each,
  )
}

function schemaOf(schema: Schema, field: string): Schema | undefined {
  const { properties } = schema
  return properties && Object.hasOwn(properties, field) ? properties[field] : additionalSchema(schema)
}
