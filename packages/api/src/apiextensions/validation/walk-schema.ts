import type { JsonSchemaProps } from '../json-schema-props.ts'

/** The schema of list elements, if `items` is one schema. */
export function itemsOf({ items }: JsonSchemaProps): JsonSchemaProps | undefined {
  return isSchema(items) ? items : undefined
}

/** The schema of additional fields, if `additionalProperties` is a schema and not a boolean. */
export function additionalOf({ additionalProperties }: JsonSchemaProps): JsonSchemaProps | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined
}

/** True for a schema; false for a boolean or a list of schemas in its place. */
export function isSchema(value: unknown): value is JsonSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sorted by name, so that the order of errors does not depend on the order in the request. */
export function fieldsOf(
  map: Readonly<Record<string, JsonSchemaProps>> | undefined,
): readonly (readonly [string, JsonSchemaProps])[] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Whether `isSuch` holds for a schema or for one inside of it. Fast, because schemas may have thousands of parts. */
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
