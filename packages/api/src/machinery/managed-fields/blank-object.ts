import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'

/**
 * An object of a built-in kind before anything is set: its structs are there and empty, as `default: {}` says in the
 * schema, and so are fields that are written even when they are nothing (null, the empty string, false). A manager that
 * sets `spec.x` then owns `spec.x` and not `spec`, which was there before. A custom resource has no such structs: who
 * first writes its `spec` owns that too.
 */
export function blankObject(schema: Schema): JsonObject {
  const blank: JsonObject = {}
  for (const [field, each] of Object.entries(schema.properties ?? {})) {
    const { default: zero } = each
    if (isJsonObject(zero) && Object.keys(zero).length === 0) blank[field] = blankObject(each)
    else if (zero === null || zero === '' || zero === false) blank[field] = zero
  }
  return blank
}
