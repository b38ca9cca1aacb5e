import { brokenByDefault } from '../../machinery/cel/index.ts'
import { type FieldError, fieldForbidden, invalid } from '../../machinery/field-error.ts'
import type { Schema } from '../../machinery/schema.ts'
import { validateDefaults } from '../../machinery/structural/validate-defaults.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { unsupportedField } from './unsupported-field.ts'
import { type OpenApiOptions, validateOpenApi } from './validate-open-api.ts'
import { validateRules } from './validate-rules.ts'
import { validateStructural } from './validate-structural.ts'

export interface SchemaOptions extends Omit<OpenApiOptions, 'onWrong'> {
  readonly requireStructural: boolean
  /** Defaults may not have fields that the schema does not specify. */
  readonly requirePrunedDefaults: boolean
  readonly isUnchanged: boolean
}

/** All that may be wrong with the schema of a version. `path` is that of what holds it. */
export function validateVersionSchema(
  schema: JsonSchemaProps,
  hasStatus: boolean,
  path: string,
  options: SchemaOptions,
): FieldError[] {
  const at = `${path}.openAPIV3Schema`
  const errors = hasStatus ? rootProblems(schema, at) : []
  if (schema.nullable) errors.push(fieldForbidden(`${at}.nullable`, 'nullable cannot be true at the root'))
  const problem = options.requireStructural ? unsupportedField(schema) : undefined
  const ofStructure =
    options.requireStructural && problem === undefined ? structureProblems(schema, at, options) : []
  errors.push(...ofStructure)
  const wrong = new Set<JsonSchemaProps>()
  errors.push(...validateOpenApi(schema, at, { ...options, onWrong: (each) => wrong.add(each) }))
  // Other checks usually report a non-structural schema first, and more precisely.
  if (errors.length === 0 && problem !== undefined) errors.push(invalid(at, '', problem))
  if (options.requireStructural && problem === undefined && ofStructure.length === 0) {
    const { isUnchanged } = options
    errors.push(...validateRules(schema, at, { isWrong: (each) => wrong.has(each), isUnchanged }))
  }
  return errors
}

/** Validates defaults only if the schema itself is valid. */
function structureProblems(
  schema: JsonSchemaProps,
  path: string,
  { requirePrunedDefaults }: SchemaOptions,
): FieldError[] {
  const errors = validateStructural(schema, path)
  if (errors.length > 0) return errors
  return validateDefaults(schema as Schema, path, {
    requirePruned: requirePrunedDefaults,
    rules: brokenByDefault,
  })
}

/** Whether defaults have fields that the schema does not specify. */
export function hasUnprunedDefaults(schema: JsonSchemaProps): boolean {
  if (unsupportedField(schema) !== undefined || validateStructural(schema, '').length > 0) return false
  return validateDefaults(schema as Schema, '', { requirePruned: true }).some(
    ({ detail }) => detail === 'must not have unknown fields',
  )
}

/** In upstream's order, and under the names that its answers have for them. */
const rootFields: readonly (readonly [field: keyof JsonSchemaProps, goName?: string])[] = [
  ['id'],
  ['$schema'],
  ['$ref'],
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['default'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['enum'],
  ['maxProperties'],
  ['minProperties'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['allOf'],
  ['oneOf'],
  ['anyOf'],
  ['not'],
  ['properties', 'Properties'],
  ['additionalProperties'],
  ['patternProperties'],
  ['dependencies'],
  ['additionalItems'],
  ['definitions'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['nullable'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-embedded-resource'],
  ['x-kubernetes-int-or-string'],
  ['x-kubernetes-list-map-keys'],
  ['x-kubernetes-list-type'],
  ['x-kubernetes-map-type'],
  ['x-kubernetes-validations', 'XValidations'],
]
const allowedAtRoot = rootFields.flatMap(([, goName]) => goName ?? [])

/** The schema of the status is taken out of that of the object, so nothing above it may say something about it. */
function rootProblems(schema: JsonSchemaProps, path: string): FieldError[] {
  const found = rootFields.find(
    ([field, goName]) =>
      schema[field] !== undefined && (goName === undefined || (field === 'type' && schema.type !== 'object')),
  )
  if (!found) return []
  const where = 'of the schema if the status subresource is enabled'
  if (found[0] === 'type') {
    return [invalid(`${path}.type`, schema.type, `only "object" is allowed as the type at the root ${where}`)]
  }
  return [invalid(path, schema, `only [${allowedAtRoot.join(' ')}] fields are allowed at the root ${where}`)]
}
