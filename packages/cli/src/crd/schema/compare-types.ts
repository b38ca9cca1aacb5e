import type { JsonSchemaProps } from '@strata/api'
import { changeAt, type SchemaChange, type SchemaPair, shownValue } from './schema-change.ts'

/** The JSON types that a schema takes; undefined for any. */
function typesOf(schema: JsonSchemaProps): ReadonlySet<string> | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return new Set(['integer', 'string'])
  if (!schema.type) return undefined
  return new Set(schema.type === 'number' ? ['number', 'integer'] : [schema.type])
}

const typeName = (schema: JsonSchemaProps): string =>
  schema['x-kubernetes-int-or-string'] === true ? 'int-or-string' : schema.type || 'any type'

/** The type, null, the values of an enum, and what an embedded resource must have. */
export function compareTypes(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  return [
    ...typeChange(pair),
    ...enumChange(pair),
    ...nullChange(before, after, pair),
    ...embeddedChange(pair),
  ]
}

function typeChange(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  const now = typesOf(after)
  if (!now) return []
  const was = typesOf(before)
  if (was && [...was].every((each) => now.has(each))) return []
  // A pair that shares no type has nothing else in common: its callers compare no further.
  return [changeAt(pair, 'type-narrowed', `type was ${typeName(before)} and is ${typeName(after)}`)]
}

/** Whether a value may have both types, so that what else the schemas say can be compared. */
export function sharesType({ before, after }: SchemaPair): boolean {
  const was = typesOf(before)
  const now = typesOf(after)
  return !was || !now || [...was].some((each) => now.has(each))
}

function enumChange(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  if (!after.enum) return []
  const now = new Set(after.enum.map((each) => JSON.stringify(each)))
  if (!before.enum) return [changeAt(pair, 'enum-added', `only ${shownValue(after.enum)} is allowed now`)]
  const gone = before.enum.filter((each) => !now.has(JSON.stringify(each)))
  if (gone.length === 0) return []
  return [changeAt(pair, 'enum-shrunk', `${gone.map(shownValue).join(', ')} is no longer allowed`)]
}

/** Servers remove null where it is not allowed and no default takes its place. */
function nullChange(before: JsonSchemaProps, after: JsonSchemaProps, pair: SchemaPair): SchemaChange[] {
  if (before.nullable !== true || after.nullable === true) return []
  return [
    changeAt(pair, 'nullable-removed', 'null is no longer allowed, and is removed or defaulted', 'pruned'),
  ]
}

function embeddedChange(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  const field = 'x-kubernetes-embedded-resource'
  if (after[field] !== true || before[field] === true) return []
  return [
    changeAt(pair, 'embedded-added', 'it must be a whole object now, with apiVersion, kind and metadata'),
  ]
}
