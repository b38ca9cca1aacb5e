import type { JsonSchemaProps } from '../json-schema-props.ts'
import { hasSchema } from './walk-schema.ts'

/** Why a schema cannot be parsed as a structural schema, in upstream's words; or undefined. */
export function unsupportedField(schema: JsonSchemaProps): string | undefined {
  let problem: string | undefined
  hasSchema(schema, (each) => {
    problem = problemOf(each)
    return problem !== undefined
  })
  return problem
}

const unsupported = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const

function problemOf(schema: JsonSchemaProps): string | undefined {
  const found = unsupported.find(([field]) => schema[field] !== undefined && schema[field] !== '')
  if (found) return `OpenAPIV3Schema '${found[1]}' is not supported`
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  return Array.isArray(schema.items) ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined
}
