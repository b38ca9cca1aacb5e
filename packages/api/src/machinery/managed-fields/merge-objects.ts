import { fieldOf, isJsonObject, type JsonObject, setField } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { fieldSchema, ownershipOf } from './list-elements.ts'
import { mergeLists } from './merge-lists.ts'

/**
 * Merges the applied object into the live one; nothing is removed. Atomic values are replaced, granular ones are
 * merged. The result shares its parts with both.
 */
export function mergeObjects(live: JsonObject, applied: JsonObject, schema: Schema): JsonObject {
  return mergeFields(live, applied, schema)
}

function mergeFields(left: JsonObject, right: JsonObject, schema: Schema | undefined): JsonObject {
  const merged: JsonObject = {}
  for (const field of Object.keys(left)) {
    setField(merged, field, mergeValues(left[field], fieldOf(right, field), fieldSchema(schema, field)))
  }
  for (const field of Object.keys(right)) {
    if (!Object.hasOwn(left, field)) setField(merged, field, right[field])
  }
  return merged
}

function mergeValues(left: unknown, right: unknown, schema: Schema | undefined): unknown {
  if (right === undefined) return left
  if (left === undefined || left === null) return right
  const ownership = ownershipOf(left, schema)
  // Null claims a map or a list, and says nothing about what others have put into it.
  if (right === null) return ownership !== 'leaf' && hasContent(left) ? left : null
  if (ownership !== ownershipOf(right, schema)) return right
  if (ownership === 'fields') return mergeFields(left as JsonObject, right as JsonObject, schema)
  if (ownership === 'elements') return mergeLists(left as unknown[], right as unknown[], schema, mergeValues)
  return right
}

function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isJsonObject(value) && Object.keys(value).length > 0
}
