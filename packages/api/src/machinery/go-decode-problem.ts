import { goTimeProblem } from './go-time.ts'
import { isJsonObject, jsonTypeName } from './patch/json-value.ts'
import { quantityProblem } from './quantity-text.ts'
import { additionalSchema, type Schema } from './schema.ts'

/**
 * The error of Go's decoder for the first value that does not fit its struct, or undefined. Upstream's built-in kinds
 * are such structs, and clients match these messages.
 */
export function goDecodeProblem(object: unknown, schema: Schema, kind: string): string | undefined {
  return problemIn(object, schema, { struct: kind, path: '' })
}

interface Place {
  /** The innermost struct, and the path of its field from the root; elements of lists and maps add nothing. */
  readonly struct: string
  readonly path: string
}

function problemIn(value: unknown, schema: Schema, place: Place): string | undefined {
  // Go leaves the zero value where it finds null.
  if (value === null || value === undefined) return undefined
  if (schema['x-strata-or']) return problemInEither(value, schema)
  const { type } = schema
  const found = jsonTypeName(value)
  if (type === undefined) return undefined
  if (type === 'array') {
    if (!Array.isArray(value)) return mismatch(found, schema, place)
    return first(value, (each) => problemIn(each, schema.items ?? {}, place))
  }
  if (type === 'object') {
    if (!isJsonObject(value)) return mismatch(found, schema, place)
    return first(Object.entries(value), ([field, each]) => problemInField(field, each, schema, place))
  }
  if (schema.format === 'quantity') return quantityProblem(value)
  const wanted = type === 'integer' ? 'number' : type === 'boolean' ? 'bool' : type
  if (found !== wanted) return mismatch(found, schema, place)
  if (type === 'integer' && !isInteger(value, schema.format === 'int32' ? 31n : 63n)) {
    return mismatch(`number ${JSON.stringify(value)}`, schema, place)
  }
  if (type === 'number' && typeof value !== 'number' && !Number.isFinite(Number(JSON.stringify(value)))) {
    return mismatch(`number ${JSON.stringify(value)}`, schema, place)
  }
  if (schema.format === 'byte') return base64Problem(value as string)
  if (schema.format === 'date-time')
    return goTimeProblem(value as string, schema['x-strata-micro-time'] === true)
  return undefined
}

/** Go decodes a value with an unmarshaler of its own separately, so its error does not mention the enclosing fields. */
function problemInEither(value: unknown, schema: Schema): string | undefined {
  const struct = schema['x-strata-type']?.name.replace(/Or[A-Z]\w*$/, '') ?? ''
  const place = { struct, path: '' }
  const either = schema['x-strata-or']
  if (isJsonObject(value))
    return problemIn(value, { type: 'object', properties: schema.properties ?? {} }, place)
  if (either === 'boolean') return typeof value === 'boolean' ? undefined : 'boolean or JSON schema expected'
  return Array.isArray(value) ? first(value, (each) => problemIn(each, schema.items ?? {}, place)) : undefined
}

/** As Go reads it: without a fraction or an exponent, and not beyond its bits. */
function isInteger(value: unknown, bits: bigint): boolean {
  if (bits > 53n && Number.isSafeInteger(value)) return true
  const text = JSON.stringify(value)
  if (text.length > 20 || !/^-?\d+$/.test(text)) return false
  const number = BigInt(text)
  return number >= -(1n << bits) && number < 1n << bits
}

function problemInField(field: string, value: unknown, schema: Schema, place: Place): string | undefined {
  const own =
    schema.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined
  if (!own) {
    const additional = additionalSchema(schema)
    return additional && problemIn(value, additional, place)
  }
  const path = place.path === '' ? field : `${place.path}.${field}`
  return problemIn(value, own, { struct: structName(schema, place), path })
}

/** The struct whose field is being read: by its own name, or after the kind or the field that it is. */
function structName(schema: Schema, { struct, path }: Place): string {
  if (path === '' || !schema.properties) return struct
  const named = schema['x-strata-type']?.name
  if (named !== undefined) return named.slice(named.lastIndexOf('.') + 1)
  if (path === 'metadata') return 'ObjectMeta'
  const field = path.slice(path.lastIndexOf('.') + 1)
  const capital = field.charAt(0).toUpperCase() + field.slice(1)
  return path.includes('.') ? capital : struct + capital
}

function mismatch(found: string, schema: Schema, { struct, path }: Place): string {
  const into = path === '' ? 'value' : `struct field ${struct}.${path}`
  return `json: cannot unmarshal ${found} into Go ${into} of type ${goType(schema)}`
}

export function goType(schema: Schema): string {
  switch (schema.type) {
    case 'boolean':
      return 'bool'
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64'
    case 'number':
      return 'float64'
    case 'array':
      return `[]${goType(schema.items ?? {})}`
    case 'object': {
      const additional = additionalSchema(schema)
      if (additional?.format === 'quantity') return 'v1.ResourceList'
      return additional ? `map[string]${goType(additional)}` : 'struct'
    }
    default:
      return schema.format === 'byte' ? '[]uint8' : 'string'
  }
}

export function base64Problem(text: string): string | undefined {
  const at = text.search(/[^A-Za-z0-9+/=\r\n]/)
  if (at >= 0) return `illegal base64 data at input byte ${at}`
  const kept = text.replace(/[\r\n]/g, '')
  return kept.length % 4 === 0
    ? undefined
    : `illegal base64 data at input byte ${kept.length - (kept.length % 4)}`
}

export function first<T>(values: Iterable<T>, problem: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = problem(value)
    if (found !== undefined) return found
  }
  return undefined
}
