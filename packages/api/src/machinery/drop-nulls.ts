import { isJsonObject, type JsonObject, setField } from './patch/json-value.ts'
import { additionalSchema, type Schema } from './schema.ts'

/** A copy without nulls in fields that cannot be null: there, null means absent. */
export function dropNulls(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((each) => dropNulls(each, schema.items ?? {}))
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const [field, each] of Object.entries(value)) {
    const { properties } = schema
    const own = properties && Object.hasOwn(properties, field) ? properties[field] : undefined
    if (each === null && own && !own.nullable) continue
    setField(kept, field, dropNulls(each, own ?? additionalSchema(schema) ?? {}))
  }
  return kept
}
