import type { Schema } from '../../schema.ts'
import { type Compiled, compile, type Failure } from '../compile.ts'
import { readerOf } from '../evaluation/schema-value.ts'
import { ArrayList, isError, OpaqueValue, OptionalValue, type Value } from '../evaluation/value.ts'
import { formatText } from '../library/format-text.ts'
import { kubernetesFunctions } from '../library/index.ts'
import { type CelType, optionalOf } from '../types/cel-type.ts'
import { schemaType, structsOf } from '../types/schema-type.ts'

const nothing: Schema = { type: 'object', properties: {} }

/** An expression about `self`, which is what the schema says. */
export function compileFor(
  expression: string,
  schema: Schema = nothing,
  isOldOptional = false,
): Compiled | Failure {
  const type = schemaType(schema, false, 'selfType')
  if (!type) throw new Error('the schema has no type')
  const old = isOldOptional ? optionalOf(type.type) : type.type
  const variables = new Map<string, CelType>([
    ['self', type.type],
    ['oldSelf', old],
  ])
  return compile(expression, { functions: kubernetesFunctions, variables, structs: structsOf(type) })
}

/** What an expression comes to, as text: a value, `error: …`, or what is wrong with the expression. */
export function outcomeOf(expression: string, schema?: Schema, self: unknown = {}): string {
  const compiled = compileFor(expression, schema)
  if ('problems' in compiled) return `${compiled.stage}: ${compiled.problems}`
  const { value } = compiled.run([readerOf(schema ?? nothing, false)(self), null], 1_000_000)
  return value === undefined ? 'too expensive' : shown(value)
}

function shown(value: Value): string {
  if (isError(value)) return `error: ${value.message}`
  if (value instanceof OptionalValue) {
    return value.value === undefined ? 'none' : `optional ${shown(value.value)}`
  }
  if (value instanceof OpaqueValue) return value.type.name
  const text = formatText('%s', new ArrayList([new ArrayList([value])]))
  return typeof text === 'string' ? text.slice(1, -1) : `error: ${text.message}`
}

/** What a run costs. */
export function costOf(expression: string, schema?: Schema, self: unknown = {}): number {
  const compiled = compileFor(expression, schema)
  if ('problems' in compiled) throw new Error(compiled.problems)
  return compiled.run([readerOf(schema ?? nothing, false)(self), null], 1_000_000).cost
}
