import {
  type FieldError,
  fieldErrorText,
  fieldForbidden,
  invalid,
  required,
} from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/patch/json-value.ts'
import { compilePattern } from '../../machinery/structural/compile-pattern.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { unsupportedField } from './unsupported-field.ts'
import { validateCompleteness } from './validate-completeness.ts'
import { additionalOf, fieldsOf, itemsOf } from './walk-schema.ts'

/** The position of a schema. Which fields are required depends on it. */
type Level = 'root' | 'item' | 'field'

/**
 * Checks that a schema is structural: each value has one type, stated once and outside of allOf, anyOf, oneOf and not, so
 * that it can be pruned and defaulted without being validated. The errors are sorted by text.
 */
export function validateStructural(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...validateCompleteness(schema, path)]
  return errors
    .map((error) => [fieldErrorText(error), error] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, error]) => error)
}

/** Whether nothing keeps it from being structural. */
export function isStructural(schema: JsonSchemaProps): boolean {
  return unsupportedField(schema) === undefined && validateStructural(schema, '').length === 0
}

function invariants(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = []
  const items = itemsOf(schema)
  const { type = '', additionalProperties } = schema
  if (type === 'array' && !items) errors.push(required(`${path}.items`, 'must be specified'))
  if (items) errors.push(...invariants(items, 'item', `${path}.items`))
  for (const [field, each] of fieldsOf(schema.properties)) {
    errors.push(...invariants(each, 'field', `${path}.properties[${field}]`))
  }
  if (additionalProperties !== undefined) {
    const at = `${path}.additionalProperties`
    if (level === 'root') errors.push(fieldForbidden(at, 'must not be used at the root'))
    const additional = additionalOf(schema)
    if (additional) errors.push(...invariants(additional, 'field', at))
  }
  errors.push(
    ...intOrStringProblems(schema, path),
    ...logicProblems(schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf)),
    ...typeProblems(schema, level, path),
    ...metaProblems(schema, level, path),
  )
  return errors
}

/** The only types that are allowed inside of logic (anyOf, allOf, …). */
function isIntOrString(anyOf: readonly JsonSchemaProps[] | undefined): boolean {
  return jsonEqual(anyOf, [{ type: 'integer' }, { type: 'string' }])
}

function intOrStringProblems(schema: JsonSchemaProps, path: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return []
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const).flatMap(
    (word) =>
      schema[word]
        ? [invalid(`${path}.${word}`, true, 'must be false if x-kubernetes-int-or-string is true')]
        : [],
  )
}

const mustNotBeEmpty: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function typeProblems(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const { type = '', additionalProperties } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const errors: FieldError[] = []
  const at = `${path}.type`
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(at, why) : invalid(at, type, why))
  } else if (
    type === '' &&
    !schema['x-kubernetes-int-or-string'] &&
    !schema['x-kubernetes-preserve-unknown-fields']
  ) {
    errors.push(required(at, mustNotBeEmpty[level]))
  }
  if (isEmbedded && additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set'
    errors.push(fieldForbidden(`${path}.additionalProperties`, why))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at, type, 'must be object at the root'))
  }
  return errors
}

function metaProblems(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const { properties = {} } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const isObject = level === 'root' || isEmbedded
  const errors: FieldError[] = []
  const typeOf = (field: string, wanted: string): void => {
    const type = properties[field]?.type ?? ''
    if (Object.hasOwn(properties, field) && isObject && type !== wanted) {
      errors.push(invalid(`${path}.properties[${field}].type`, type, `must be ${wanted}`))
    }
  }
  typeOf('kind', 'string')
  typeOf('apiVersion', 'string')
  typeOf('metadata', 'object')
  if (level === 'root' && properties['metadata'] && !restrictsNames(properties['metadata'])) {
    const why =
      'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(fieldForbidden(`${path}.properties[metadata]`, why))
  }
  if (isEmbedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(`${path}.properties`, why))
  }
  return errors
}

/** Whether a schema of metadata restricts nothing but name and generateName. */
function restrictsNames({ type: _, default: __, properties = {}, ...rest }: JsonSchemaProps): boolean {
  const names = Object.keys(properties)
  return Object.keys(rest).length === 0 && names.every((each) => each === 'name' || each === 'generateName')
}

/** `skipAnyOf`: this anyOf only says integer or string. `skipFirst`: the first schema of allOf has such an anyOf. */
function logicProblems(
  schema: JsonSchemaProps,
  path: string,
  skipAnyOf: boolean,
  skipFirst: boolean,
): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema
  const errors: FieldError[] = []
  if (!skipAnyOf) {
    for (const [index, each] of anyOf.entries())
      errors.push(...nestedProblems(each, `${path}.anyOf[${index}]`))
  }
  for (const [index, each] of allOf.entries()) {
    errors.push(...nestedProblems(each, `${path}.allOf[${index}]`, skipFirst && index === 0))
  }
  for (const [index, each] of oneOf.entries()) errors.push(...nestedProblems(each, `${path}.oneOf[${index}]`))
  if (not) errors.push(...nestedProblems(not, `${path}.not`))
  if (pattern !== '') {
    const compiled = compilePattern(pattern)
    if (typeof compiled !== 'function') {
      const why = `must be a valid regular expression, but isn't: ${compiled.error}`
      errors.push(invalid(`${path}.pattern`, pattern, why))
    }
  }
  return errors
}

const forbiddenInside: readonly (readonly [field: keyof JsonSchemaProps, why: string])[] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

/** Inside of allOf, anyOf, oneOf and not, a schema may restrict values, but not define their type. */
function nestedProblems(schema: JsonSchemaProps, path: string, skipAnyOf = false): FieldError[] {
  const errors = logicProblems(schema, path, skipAnyOf, false)
  const items = itemsOf(schema)
  if (items) errors.push(...nestedProblems(items, `${path}.items`))
  for (const [field, each] of fieldsOf(schema.properties)) {
    errors.push(...nestedProblems(each, `${path}.properties[${field}]`))
  }
  const { additionalProperties } = schema
  if (additionalProperties !== undefined && additionalProperties !== false) {
    errors.push(fieldForbidden(`${path}.additionalProperties`, 'must be undefined to be structural'))
  }
  for (const [field, why] of forbiddenInside) {
    if (schema[field] !== undefined) errors.push(fieldForbidden(`${path}.${field}`, why))
  }
  if (schema.properties && Object.hasOwn(schema.properties, 'metadata')) {
    const why = 'must not be specified in a nested context'
    errors.push(fieldForbidden(`${path}.properties[metadata]`, why))
  }
  return errors
}
