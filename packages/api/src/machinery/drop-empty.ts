import { goTimeText } from './go-time.ts'
import { isJsonObject, type JsonObject, setField } from './patch/json-value.ts'
import { isRawNumber, plainNumber } from './patch/raw-number.ts'
import { quantityText } from './quantity-text.ts'
import { additionalSchema, type Schema } from './schema.ts'

/**
 * A copy without what Go omits when it encodes a struct: null, and empty maps, lists and strings. Entries of maps and lists
 * stay, because they are not fields. Upstream's pointers distinguish absent from zero: an empty string stays if the schema
 * says nullable; numbers and booleans stay unless the schema says `x-strata-omits-zero`. A struct stays as well (`default: {}`),
 * unless upstream has a pointer to it.
 */
export function dropEmpty(value: unknown, schema: Schema): unknown {
  if (schema['x-strata-raw-json']) return goNumbers(value)
  if (Array.isArray(value)) return value.map((each) => dropEntry(each, schema.items ?? {}))
  if (!isJsonObject(value)) {
    if (schema.format === 'quantity') return quantityText(value)
    if (schema.type === 'number' && isRawNumber(value)) return Number(value.rawJSON)
    return typeof value === 'string' ? goText(value, schema) : value
  }
  const kept: JsonObject = {}
  for (const [field, each] of Object.entries(value)) {
    const own =
      schema.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined
    if (!own) setField(kept, field, dropEntry(each, additionalSchema(schema) ?? {}))
    else if (!isLeftOut(each, own)) setField(kept, field, dropEmpty(each, own))
  }
  return kept
}

/** In a list or map of structs, null is an empty struct; in one of texts, it is an empty text. */
function dropEntry(value: unknown, schema: Schema): unknown {
  if (value === null && schema.properties && schema['x-strata-type']) return {}
  const isText = schema.type === 'string' && (schema.format === undefined || schema.format === 'byte')
  return value === null && isText ? '' : dropEmpty(value, schema)
}

/** Go reads a number as an int64 or a float64 and writes it down again: `1.0` becomes `1`. */
function goNumbers(value: unknown): unknown {
  if (isRawNumber(value)) return plainNumber(value)
  if (Array.isArray(value)) return value.map(goNumbers)
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const [field, each] of Object.entries(value)) setField(kept, field, goNumbers(each))
  return kept
}

/** Bytes and times are written by Go as it writes them, not as they were sent. */
function goText(text: string, { format, 'x-strata-micro-time': isMicro }: Schema): string {
  if (format === 'byte')
    return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, '') : text
  return format === 'date-time' ? goTimeText(text, isMicro === true) : text
}

function isLeftOut(value: unknown, schema: Schema): boolean {
  if (value === null || value === undefined) return true
  if (schema['x-strata-raw-json']) return false
  // Go reads a value that is neither as empty.
  if (schema['x-strata-or'] === 'list' && typeof value !== 'object') return true
  if (value === '') return !schema.nullable
  if (value === false || value === 0) return schema['x-strata-omits-zero'] === true
  // A schema with the default null writes the list even if it is empty.
  if (Array.isArray(value)) return value.length === 0 && schema.default !== null
  return isJsonObject(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0
}
