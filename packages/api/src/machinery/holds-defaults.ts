import type { Schema } from './schema.ts'

const answers = new WeakMap<Schema, boolean>()

/** Whether a value of the schema can have a field with a default, at any depth: most have none, and need no walk. */
export function holdsDefaults(schema: Schema): boolean {
  const known = answers.get(schema)
  if (known !== undefined) return known
  const seen = new Set<Schema>()
  const found = reachesDefault(schema, seen)
  // Without a default, no schema on the way has one either. With one, the walk stopped early, and the others are unknown.
  if (found) answers.set(schema, true)
  else for (const each of seen) answers.set(each, false)
  return found
}

/** Schemas may be recursive: each is visited once. */
function reachesDefault(schema: Schema, seen: Set<Schema>): boolean {
  const known = answers.get(schema)
  if (known !== undefined || seen.has(schema)) return known ?? false
  seen.add(schema)
  const { properties = {}, additionalProperties, items } = schema
  const fields = Object.values(properties)
  if (fields.some((each) => each.default !== undefined)) return true
  const below = [...fields, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') below.push(additionalProperties)
  return below.some((each) => reachesDefault(each, seen))
}
