import type { Schema } from '@strata/api'
import type { Json } from './components.ts'
import { customKindSchema, type Dialect } from './custom-schema.ts'

/**
 * The schema of a custom kind in OpenAPI v2, which has no null, no alternatives and no defaults. Clients that validate by it must
 * not refuse what the server accepts, so restrictions are left out where needed: upstream's choices, because kubectl relies on
 * them.
 */
export function customKindSwagger(schema: Schema | undefined, dialect: Dialect): Json {
  // kubectl would take the named fields for all fields.
  if (!schema || isOpen(schema as Json)) return { type: 'object' }
  return customKindSchema(toSwagger(schema as Json), dialect)
}

const isOpen = (schema: Json): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true
const isNullable = (schema: unknown): boolean => (schema as Json | undefined)?.['nullable'] === true

const unsaid: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default'])

function toSwagger(schema: Json): Json {
  const made: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) if (!unsaid.has(key)) made[key] = value
  // kubectl cannot read fields or items of a value that may have another type, nor of one that may have other fields.
  if (isNullable(schema)) delete made['type']
  if (isNullable(schema) || isOpen(schema)) {
    delete made['items']
    delete made['properties']
  }
  // Nor a list without items, nor an object with unnamed fields.
  if (made['type'] === 'array' && !made['items']) delete made['type']
  if (made['type'] === 'object' && isOpen(schema)) delete made['type']

  const properties = made['properties'] as Json | undefined
  const needed = requiredOf(schema, properties)
  if (needed.length > 0) made['required'] = needed
  else delete made['required']
  if (properties) {
    const fields = Object.entries(properties).map(([name, each]) => [name, toSwagger(each as Json)])
    made['properties'] = Object.fromEntries(fields)
  }
  for (const key of ['items', 'additionalProperties']) {
    if (made[key] && typeof made[key] === 'object') made[key] = toSwagger(made[key] as Json)
  }
  return made
}

/** A null counts as a missing field. */
function requiredOf({ required = [], additionalProperties }: Json, properties: Json = {}): readonly string[] {
  if (isNullable(additionalProperties)) return []
  return (required as readonly string[]).filter(
    (field) => !(Object.hasOwn(properties, field) && isNullable(properties[field])),
  )
}
