import type { JsonSchemaProps } from '../json-schema-props.ts'

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

/** Sorted by name, so that the order of errors does not depend on the order in the request. */
export function fieldsOf(
  map: Readonly<Record<string, JsonSchemaProps>> | undefined,
): readonly (readonly [string, JsonSchemaProps])[] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Whether a schema, or one anywhere inside of it, is such a one. Asked of schemas with thousands of parts. */
export function hasSchema(schema: JsonSchemaProps, isSuch: (schema: JsonSchemaProps) => boolean): boolean {
  if (isSuch(schema)) return true
  const { items, allOf, anyOf, oneOf, not, properties, additionalItems } = schema
  const additional = additionalOf(schema)
  return (
    (Array.isArray(items) ? anyHas(items, isSuch) : isSchema(items) && hasSchema(items, isSuch)) ||
    anyHas(allOf, isSuch) ||
    anyHas(anyOf, isSuch) ||
    anyHas(oneOf, isSuch) ||
    (not !== undefined && not !== null && hasSchema(not, isSuch)) ||
    anyFieldHas(properties, isSuch) ||
    (additional !== undefined && hasSchema(additional, isSuch)) ||
    anyFieldHas(schema.patternProperties, isSuch) ||
    (isSchema(additionalItems) && hasSchema(additionalItems, isSuch)) ||
    anyFieldHas(schema.definitions, isSuch) ||
    anyFieldHas(schema.dependencies, isSuch)
  )
}

function anyHas(
  schemas: readonly JsonSchemaProps[] | undefined,
  isSuch: (schema: JsonSchemaProps) => boolean,
): boolean {
  return schemas?.some((each) => hasSchema(each, isSuch)) ?? false
}

function anyFieldHas(
  schemas: Readonly<Record<string, unknown>> | undefined,
  isSuch: (schema: JsonSchemaProps) => boolean,
): boolean {
  if (schemas === undefined) return false
  return Object.values(schemas).some((each) => isSchema(each) && hasSchema(each, isSuch))
}
