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
    ...Object.fromEntries(
      Object.keys(given)
        .filter(isExtension)
        .map((name) => [name, extension(name, given[name], reading, 0)]),
    ),
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
  const [only, ...others] = Array.isArray(given['allOf']) ? given['allOf'] : []
  const ref = given['$ref'] ?? (others.length === 0 && isObject(only) ? only['$ref'] : undefined)
  const $ref = referenceOf(ref, 'definitions', reading)
  // A document may have a hundred thousand schemas, so each is made in one pass over the fields that it has.
  const made: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    // kubectl refuses a document with a type or fields beside a reference.
    const isKept = $ref === undefined || name === 'description' || isExtension(name)
    const value = isKept ? wordOf(name, given[name], reading, depth) : undefined
    if (value !== undefined) made[name] = value
  }
  if ($ref === undefined) addShape(made, given, reading, depth)
  else made['$ref'] = $ref
  return made
}

/** The type, and what it contains. What kubectl cannot read becomes a value of any type. */
function addShape(made: Record<string, unknown>, given: Json, reading: Reading, depth: number): void {
  const { additionalProperties, properties } = given
  const type = onlyOne(given['type'])
  if (type === 'array') {
    const items = onlyOne(given['items'])
    if (isObject(items)) Object.assign(made, { type, items: readSchema(items, reading, depth + 1) })
    return
  }
  if (primitives.has(type)) made['type'] = type
  if (type !== 'object' && given['type'] !== undefined) return
  if (type !== undefined) made['type'] = type
  if (isObject(properties)) {
    const fields = Object.entries(properties)
    made['properties'] = Object.fromEntries(
      fields.map(([field, each]) => [field, readSchema(each, reading, depth + 1)]),
    )
  }
  if (isObject(additionalProperties)) {
    made['additionalProperties'] = readSchema(additionalProperties, reading, depth + 1)
  } else if (typeof additionalProperties === 'boolean') made['additionalProperties'] = additionalProperties
}

/** The value, or the single one in a list. */
function onlyOne(given: unknown): unknown {
  if (!Array.isArray(given)) return given
  return given.length === 1 ? given[0] : undefined
}

type Read = (value: unknown, depth: number) => unknown

/** Keywords of a schema, besides those that shape it. */
const keywords: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...['description', 'format', 'title', 'pattern'].map((name): [string, Read] => [name, text]),
  ...['multipleOf', 'maximum', 'minimum'].map((name): [string, Read] => [name, number]),
  ...['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'].map((name): [string, Read] => [name, flag]),
  ...['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map(
    (name): [string, Read] => [name, count],
  ),
  ['required', texts],
  ['enum', (value, depth) => (Array.isArray(value) ? plain(value, depth) : undefined)],
  ['example', plain],
  [
    'externalDocs',
    (value) =>
      isObject(value)
        ? without({ description: text(value['description']), url: text(value['url']) })
        : undefined,
  ],
])

const isExtension = (name: string): boolean => name.startsWith('x-')

function wordOf(name: string, value: unknown, reading: Reading, depth: number): unknown {
  return isExtension(name) ? extension(name, value, reading, depth) : keywords.get(name)?.(value, depth)
}

function extension(name: string, value: unknown, reading: Reading, depth: number): unknown {
  if (name !== kindsWord) return plain(value, depth)
  // An operation has one kind, a definition has several.
  const kinds = [value].flat().filter((each): each is Json => isObject(each) && reading.mayName(each))
  if (kinds.length === 0) return undefined
  return plain(Array.isArray(value) ? kinds : kinds[0], depth)
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

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined
}

/** Without fields that are not set. */
const without = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
