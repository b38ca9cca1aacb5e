import type { JsonSchemaProps } from './json-schema-props.ts'

/** The one schema of the elements of a list, unless there is none, or a list of them. */
export function itemsOf({ items }: JsonSchemaProps): JsonSchemaProps | undefined {
  return isSchema(items) ? items : undefined
}

/** The schema of further fields, unless there is none, or only whether there may be any. */
export function additionalOf({ additionalProperties }: JsonSchemaProps): JsonSchemaProps | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined
}

/** A schema, and not what may stand in its place. */
export function isSchema(value: unknown): value is JsonSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By their names, so that what is said of them comes in an order that does not depend on how they were sent. */
export function fieldsOf(
  map: Readonly<Record<string, JsonSchemaProps>> | undefined,
): readonly (readonly [string, JsonSchemaProps])[] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** All schemas directly inside of one. */
function* childrenOf(schema: JsonSchemaProps): Generator<JsonSchemaProps> {
  const { items, allOf = [], anyOf = [], oneOf = [], not, additionalItems } = schema
  if (Array.isArray(items)) yield* items as readonly JsonSchemaProps[]
  else if (isSchema(items)) yield items
  yield* allOf
  yield* anyOf
  yield* oneOf
  if (not) yield not
  yield* Object.values(schema.properties ?? {})
  const additional = additionalOf(schema)
  if (additional) yield additional
  yield* Object.values(schema.patternProperties ?? {})
  if (isSchema(additionalItems)) yield additionalItems
  yield* Object.values(schema.definitions ?? {})
  yield* Object.values(schema.dependencies ?? {}).filter(isSchema)
}

/** Whether a schema, or one anywhere inside of it, is such a one. */
export function hasSchema(schema: JsonSchemaProps, isSuch: (schema: JsonSchemaProps) => boolean): boolean {
  if (isSuch(schema)) return true
  for (const child of childrenOf(schema)) if (hasSchema(child, isSuch)) return true
  return false
}
