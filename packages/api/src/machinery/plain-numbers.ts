import type { FieldError } from './field-error.ts'
import { isJsonObject, type JsonObject, setField } from './patch/json-value.ts'
import { isRawNumber, plainNumber, type RawNumber } from './patch/raw-number.ts'
import { additionalSchema, type Schema, validateSchema } from './schema.ts'

export interface PlainNumbers {
  readonly value: unknown
  /** Numbers that stay texts because their field cannot hold them. */
  readonly misfits: readonly FieldError[]
}

/**
 * The value with JavaScript's numbers where the schema names a number or says nothing. The code of a kind compares and
 * adds them; a number that is kept as its text would throw there. Only an integer beyond 2^53 in a field of which the
 * schema says nothing stays a text: nothing else has all its digits.
 */
export function plainNumbers(value: unknown, schema: Schema): PlainNumbers {
  const misfits: FieldError[] = []
  return { value: plainIn(value, schema, '', misfits), misfits }
}

function plainIn(value: unknown, schema: Schema, path: string, misfits: FieldError[]): unknown {
  if (isRawNumber(value)) return plainLeaf(value, schema, path, misfits)
  if (Array.isArray(value)) {
    return value.map((each, index) => plainIn(each, schema.items ?? {}, `${path}[${index}]`, misfits))
  }
  if (!isJsonObject(value)) return value
  const plain: JsonObject = {}
  for (const [field, each] of Object.entries(value)) {
    const fieldPath = path === '' ? field : `${path}.${field}`
    setField(plain, field, plainIn(each, fieldSchema(schema, field), fieldPath, misfits))
  }
  return plain
}

function fieldSchema(schema: Schema, field: string): Schema {
  const own =
    schema.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined
  return own ?? additionalSchema(schema) ?? {}
}

function plainLeaf(value: RawNumber, schema: Schema, path: string, misfits: FieldError[]): unknown {
  const problems = validateSchema(value, schema, path)
  if (problems.length > 0) {
    misfits.push(...problems)
    return value
  }
  return schema.type === 'number' ? Number(value.rawJSON) : plainNumber(value)
}
