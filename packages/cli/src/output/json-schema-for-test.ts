import assert from 'node:assert/strict'

/** The keywords of JSON Schema that the schemas of tests use; an object has no fields but those that are named. */
export interface JsonSchema {
  readonly type: 'object' | 'array' | 'string' | 'integer'
  readonly description?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly format?: 'uri' | 'uri-reference'
  readonly minimum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: false | JsonSchema
}

/** What is wrong with a value, one line for each, with its path. */
export function jsonProblems(value: unknown, schema: JsonSchema, path = '$'): string[] {
  const { type } = schema
  if (type === 'string')
    return typeof value === 'string' ? textProblems(value, schema, path) : [`${path}: not a string`]
  if (type === 'integer') {
    if (!Number.isInteger(value)) return [`${path}: not an integer`]
    return Number(value) < (schema.minimum ?? -Infinity) ? [`${path}: below ${schema.minimum}`] : []
  }
  if (type === 'array')
    return Array.isArray(value) ? listProblems(value, schema, path) : [`${path}: not an array`]
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? fieldProblems(value, schema, path) : [`${path}: not an object`]
}

function textProblems(value: string, schema: JsonSchema, path: string): string[] {
  const { pattern, format } = schema
  return [
    ...(schema.enum === undefined || schema.enum.includes(value) ? [] : [`${path}: not one of the values`]),
    ...(pattern === undefined || new RegExp(pattern, 'u').test(value) ? [] : [`${path}: not ${pattern}`]),
    ...(format === undefined || isUri(value, format) ? [] : [`${path}: not a ${format}`]),
  ]
}

/** URL.canParse takes a space, RFC 3986 does not. */
const isUri = (value: string, format: 'uri' | 'uri-reference'): boolean =>
  /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(value) &&
  !/%(?![0-9A-Fa-f]{2})/.test(value) &&
  (format === 'uri' ? URL.canParse(value) : URL.canParse(value, 'file:///checkout/'))

function listProblems(value: readonly unknown[], schema: JsonSchema, path: string): string[] {
  const { items, minItems = 0, uniqueItems = false } = schema
  assert.ok(items, `the schema of ${path} has items`)
  const different = new Set(value.map((each) => JSON.stringify(each))).size
  return [
    ...(value.length < minItems ? [`${path}: fewer than ${minItems} items`] : []),
    ...(uniqueItems && different < value.length ? [`${path}: an item twice`] : []),
    ...value.flatMap((each, index) => jsonProblems(each, items, `${path}[${index}]`)),
  ]
}

function fieldProblems(value: object, schema: JsonSchema, path: string): string[] {
  const { properties = {}, required = [], additionalProperties = false } = schema
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => `${path}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const known = (Object.hasOwn(properties, name) && properties[name]) || additionalProperties
      return known ? jsonProblems(each, known, `${path}.${name}`) : [`${path}.${name}: no such field`]
    }),
  ]
}
