import { type JsonSchemaProps, type Schema, supportedFormat } from '@strata/api'
import { changeAt, type SchemaChange, type SchemaPair, shownValue } from './schema-change.ts'

const lowest = ['minimum', 'minLength', 'minItems', 'minProperties'] as const
const highest = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const

/** Bounds, patterns and formats. */
export function compareLimits(pair: SchemaPair): SchemaChange[] {
  return [
    ...lowest.flatMap((field) => boundChange(pair, field, (now, was) => now > was)),
    ...highest.flatMap((field) => boundChange(pair, field, (now, was) => now < was)),
    ...exclusiveChange(pair, 'minimum', 'exclusiveMinimum'),
    ...exclusiveChange(pair, 'maximum', 'exclusiveMaximum'),
    ...textChange(pair, 'pattern'),
    ...textChange(pair, 'format'),
    ...textChange(pair, 'multipleOf'),
  ]
}

type Bound = (typeof lowest)[number] | (typeof highest)[number]

function boundChange(
  pair: SchemaPair,
  field: Bound,
  isTighter: (now: number, was: number) => boolean,
): SchemaChange[] {
  const now = numberOf(pair.after[field])
  const was = numberOf(pair.before[field])
  if (now === undefined || (was !== undefined && !isTighter(now, was))) return []
  // These say nothing: every text, list and object has at least none.
  if (was === undefined && now === 0 && field !== 'minimum' && field.startsWith('min')) return []
  const kind = `${kebab(field)}-${was === undefined ? 'added' : 'tightened'}`
  const from = was === undefined ? '' : ` (was ${was})`
  return [changeAt(pair, kind, `${field} is ${now} now${from}`)]
}

const numberOf = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))
const kebab = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function exclusiveChange(
  pair: SchemaPair,
  bound: 'minimum' | 'maximum',
  field: 'exclusiveMinimum' | 'exclusiveMaximum',
): SchemaChange[] {
  const { before, after } = pair
  if (after[field] !== true || before[field] === true || after[bound] !== before[bound]) return []
  return [
    changeAt(pair, `${bound}-tightened`, `${bound} ${shownValue(after[bound])} itself is no longer allowed`),
  ]
}

function textChange(pair: SchemaPair, field: 'pattern' | 'format' | 'multipleOf'): SchemaChange[] {
  const valueIn = (schema: JsonSchemaProps): unknown =>
    field === 'format' ? checkedFormat(schema) : schema[field]
  const now = valueIn(pair.after)
  const was = valueIn(pair.before)
  if (now === undefined || now === '' || now === was) return []
  const kind = `${kebab(field)}-${was === undefined || was === '' ? 'added' : 'changed'}`
  const from = was === undefined || was === '' ? '' : ` (was ${shownValue(was)})`
  return [changeAt(pair, kind, `${field} is ${shownValue(now)} now${from}`)]
}

/** The format, if API servers check it for this type and it excludes any value. */
function checkedFormat(schema: JsonSchemaProps): string | undefined {
  const format = supportedFormat(schema as Schema)
  return format === undefined || wide.has(format) ? undefined : format
}

const wide: ReadonlySet<string> = new Set(['int64', 'float', 'double', 'password'])
