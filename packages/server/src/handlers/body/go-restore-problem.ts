import {
  additionalSchema,
  base64Problem,
  first,
  goTimeProblem,
  goType,
  goTypeName,
  isJsonObject,
  jsonTypeName,
  quantityProblem,
  type Schema,
} from '@strata/api'

/**
 * Go's error for the first value that does not fit its struct when the struct is filled from a decoded object, as after a
 * strategic merge patch. The words differ from those of Go's decoder.
 */
export function goRestoreProblem(value: unknown, schema: Schema): string | undefined {
  if (value === null || value === undefined) return undefined
  switch (schema.type) {
    case undefined:
      return undefined
    case 'array':
      if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`
      return first(value, (each) => goRestoreProblem(each, schema.items ?? {}))
    case 'object':
      return problemInFields(value, schema)
    default:
      return problemInScalar(value, schema)
  }
}

function problemInFields(value: unknown, schema: Schema): string | undefined {
  if (!isJsonObject(value)) {
    return schema.additionalProperties
      ? `cannot restore map from ${kindOf(value)}`
      : `cannot restore struct from: ${kindOf(value)}`
  }
  return first(Object.entries(value), ([field, each]) => {
    const { properties } = schema
    const own = properties && Object.hasOwn(properties, field) ? properties[field] : additionalSchema(schema)
    return own && goRestoreProblem(each, own)
  })
}

function problemInScalar(value: unknown, schema: Schema): string | undefined {
  if (schema.format === 'quantity') return quantityProblem(value)
  const found = goTypeName(value)
  const wanted = goType(schema)
  if (schema.format === 'date-time') {
    if (found === 'string') return goTimeProblem(value as string, schema['x-strata-micro-time'] === true)
    return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type string`
  }
  if (schema.format === 'byte') {
    if (found !== 'string') return `cannot restore slice from ${kindOf(value)}`
    const problem = base64Problem(value as string)
    return problem && `error decoding from json: ${problem}`
  }
  const fits = found === wanted || (schema.type === 'integer' && found === 'int64')
  if (fits || (schema.type === 'number' && found === 'int64')) return undefined
  if (schema.type === 'integer' && found === 'float64') {
    return Number.isInteger(Number(JSON.stringify(value))) ? undefined : `cannot convert float64 to ${wanted}`
  }
  // Go would convert a number to a character, and refuses that. It does not try other conversions.
  return wanted === 'string' && found === 'int64'
    ? 'cannot convert int64 to string'
    : `unrecognized type: ${wanted}`
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice'
  return isJsonObject(value) ? 'map' : goTypeName(value)
}
