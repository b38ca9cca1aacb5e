import type { Json } from '../components.ts'

/** How references and kinds are read: the first time they are collected, later they are renamed. */
export interface Reading {
  /** The reference to a definition, or to a parameter; undefined if it must not be there. */
  refer(root: ReferenceRoot, name: string): string | undefined
  /** Whether the version may describe the kind. */
  mayName(kind: Json): boolean
}

export type ReferenceRoot = 'definitions' | 'parameters'

export class UnusableDocument extends Error {}

export const kindsWord = 'x-kubernetes-group-version-kind'
const maxDepth = 64
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/**
 * One path of an OpenAPI v2 document of another server. Only fields of the expected shape are taken: kubectl parses the merged
 * document as a whole, and would refuse the kinds of all groups for a single array without items.
 */
export function readPath(given: unknown, reading: Reading): Json {
  const item = isObject(given) ? given : {}
  return without({
    ...Object.fromEntries(
      methods.flatMap((method) =>
        isObject(item[method]) ? [[method, operationOf(item[method], reading)]] : [],
      ),
    ),
    parameters: Array.isArray(item['parameters']) ? parametersOf(item['parameters'], reading) : undefined,
  })
}

function operationOf(given: Json, reading: Reading): Json {
  const responses = Object.entries(objectOf(given['responses'])).map(([code, each]) => {
    const { description, schema } = objectOf(each)
    return [
      code,
      without({
        description: text(description) ?? '',
        schema: isObject(schema) ? readSchema(schema, reading) : undefined,
      }),
    ]
  })
  return without({
    description: text(given['description']),
    consumes: texts(given['consumes']),
    produces: texts(given['produces']),
    schemes: texts(given['schemes']),
    tags: texts(given['tags']),
    operationId: text(given['operationId']),
    parameters: Array.isArray(given['parameters']) ? parametersOf(given['parameters'], reading) : undefined,
    responses: Object.fromEntries(responses),
    ...extensionsOf(given, reading, 0),
  })
}

const parametersOf = (given: readonly unknown[], reading: Reading): readonly Json[] =>
  given.map((each) => readParameter(each, reading)).filter((each) => each !== undefined)

const places = new Set<unknown>(['body', 'query', 'path', 'header'])

export function readParameter(given: unknown, reading: Reading): Json | undefined {
  if (!isObject(given)) return undefined
  if (given['$ref'] !== undefined) {
    const $ref = referenceOf(given['$ref'], 'parameters', reading)
    return $ref === undefined ? undefined : { $ref }
  }
  const { in: place } = given
  const name = text(given['name'])
  if (name === undefined || !places.has(place)) return undefined
  const head = { name, in: place, description: text(given['description']), required: flag(given['required']) }
  if (place === 'body') return without({ ...head, schema: readSchema(given['schema'], reading) })
  return without({
    ...head,
    type: text(given['type']) ?? 'string',
    format: text(given['format']),
    uniqueItems: flag(given['uniqueItems']),
  })
}

const primitives = new Set<unknown>(['string', 'number', 'integer', 'boolean'])

export function readSchema(given: unknown, reading: Reading, depth = 0): Json {
  if (depth > maxDepth) throw new UnusableDocument('its schemas are nested too deeply')
  if (!isObject(given)) return {}
  const words = { description: text(given['description']), ...extensionsOf(given, reading, depth) }
  const [only, ...others] = Array.isArray(given['allOf']) ? given['allOf'] : []
  const ref = given['$ref'] ?? (others.length === 0 ? objectOf(only)['$ref'] : undefined)
  const $ref = referenceOf(ref, 'definitions', reading)
  // kubectl refuses a document with a type or fields beside a reference.
  if ($ref !== undefined) return without({ ...words, $ref })
  return without({ ...words, ...limitsOf(given, depth), ...shapeOf(given, reading, depth) })
}

/** The type, and what it contains. What kubectl cannot read becomes a value of any type. */
function shapeOf(given: Json, reading: Reading, depth: number): Json {
  const { additionalProperties, properties } = given
  const [type, ...otherTypes] = [given['type']].flat()
  const [items, ...otherItems] = [given['items']].flat()
  if (otherTypes.length > 0) return {}
  if (type === 'array') {
    if (!isObject(items) || otherItems.length > 0) return {}
    return { type, items: readSchema(items, reading, depth + 1) }
  }
  if (primitives.has(type)) return { type }
  if (type !== undefined && type !== 'object') return {}
  return {
    type,
    properties: isObject(properties)
      ? Object.fromEntries(
          Object.entries(properties).map(([field, each]) => [field, readSchema(each, reading, depth + 1)]),
        )
      : undefined,
    additionalProperties: isObject(additionalProperties)
      ? readSchema(additionalProperties, reading, depth + 1)
      : flag(additionalProperties),
  }
}

function limitsOf(given: Json, depth: number): Json {
  const { enum: values, example, externalDocs } = given
  const { description, url } = objectOf(externalDocs)
  const pick = (names: readonly string[], read: (value: unknown) => unknown): Json =>
    Object.fromEntries(names.map((name) => [name, read(given[name])]))
  return {
    ...pick(['format', 'title', 'pattern'], text),
    ...pick(['multipleOf', 'maximum', 'minimum'], number),
    ...pick(['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'], flag),
    ...pick(['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'], count),
    required: texts(given['required']),
    enum: Array.isArray(values) ? values.map((each) => plain(each, depth)) : undefined,
    example: example === undefined ? undefined : plain(example, depth),
    externalDocs: isObject(externalDocs)
      ? without({ description: text(description), url: text(url) })
      : undefined,
  }
}

function extensionsOf(given: Json, reading: Reading, depth: number): Json {
  const found = Object.entries(given).filter(([name]) => name.startsWith('x-'))
  return Object.fromEntries(
    found.flatMap(([name, value]) => {
      if (name !== kindsWord) return [[name, plain(value, depth)]]
      // An operation has one kind, a definition has several.
      const kinds = [value].flat().filter((each): each is Json => isObject(each) && reading.mayName(each))
      if (kinds.length === 0) return []
      return [[name, Array.isArray(value) ? kinds.map((each) => plain(each, depth)) : plain(kinds[0], depth)]]
    }),
  )
}

/** A value of any shape. */
function plain(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw new UnusableDocument('its values are nested too deeply')
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each, depth + 1)]))
}

function referenceOf(given: unknown, root: ReferenceRoot, reading: Reading): string | undefined {
  const prefix = `#/${root}/`
  if (typeof given !== 'string' || !given.startsWith(prefix)) return undefined
  return reading.refer(root, given.slice(prefix.length))
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)
const number = (value: unknown): number | undefined =>
  Number.isFinite(value) ? (value as number) : undefined
const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined
/** Without fields that are not set. */
const without = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
