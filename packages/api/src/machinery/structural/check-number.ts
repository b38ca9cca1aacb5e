import type { RawNumber } from '../patch/raw-number.ts'
import type { Schema } from '../schema.ts'
import { type Finding, invalidAt, problemAt } from './findings.ts'
import { type GoNumber, goFloatText, goNumber, isInt64, isNearInteger, toInt64 } from './go-number.ts'

export type NumberCheck = (value: number | RawNumber, name: string, found: Finding[]) => void

/**
 * Limits of a number. Upstream compares an integer with a limit whose fraction is cut off, and complains about the
 * limit itself where that could not be a value of the type; both are kept, since both decide what is accepted.
 */
export function compileNumberCheck(schema: Schema): NumberCheck | undefined {
  const capacity = capacityOf(schema)
  const { multipleOf, minimum, maximum } = schema
  const limits = [
    ...(multipleOf === undefined ? [] : [multipleOfCheck(multipleOf, capacity)]),
    ...(minimum === undefined
      ? []
      : [limitCheck(minimum, 'Minimum boundary', capacity, schema.exclusiveMinimum ? below : atMost)]),
    ...(maximum === undefined
      ? []
      : [limitCheck(maximum, 'Maximum boundary', capacity, schema.exclusiveMaximum ? above : atLeast)]),
  ]
  if (limits.length === 0 && capacity.holds === anyNumber) return undefined
  return (value, name, found) => {
    const number = goNumber(value)
    if (!capacity.holds(number.value)) found.push(capacity.problem('Checked', name))
    for (const limit of limits) limit(number, name, found)
  }
}

type LimitCheck = (number: GoNumber, name: string, found: Finding[]) => void

/** The range of the type and its format. As upstream, not checked if a field may have several types. */
interface Capacity {
  readonly holds: (value: number | bigint) => boolean
  readonly problem: (what: string, name: string) => Finding
}

function capacityOf({ type, format, 'x-kubernetes-int-or-string': either }: Schema): Capacity {
  const single = either ? undefined : type
  const known =
    (single === 'integer' && (format === 'int32' || format === 'int64')) ||
    (single === 'number' && (format === 'float' || format === 'double'))
  const how = known ? `with format ${format}` : '(default format)'
  return {
    holds: holder(single, known ? format : undefined),
    problem: (what, name) => problemAt(`${what} value must be of type ${single} ${how} in ${name}`),
  }
}

function holder(type: string | undefined, format: string | undefined): Capacity['holds'] {
  if (type === 'integer') {
    return format === 'int32'
      ? (value) => Number.isInteger(Number(value)) && value >= -(2 ** 31) && value < 2 ** 31
      : (value) => typeof value === 'bigint' || isInt64(value)
  }
  return format === 'float' ? (value) => Number.isFinite(Math.fround(Number(value))) : anyNumber
}

const anyNumber = (): boolean => true

interface Comparison {
  readonly breaks: (value: number | bigint, limit: number | bigint) => boolean
  readonly words: string
}
const atMost: Comparison = { breaks: (a, b) => a < b, words: 'greater than or equal to' }
const below: Comparison = { breaks: (a, b) => a <= b, words: 'greater than' }
const atLeast: Comparison = { breaks: (a, b) => a > b, words: 'less than or equal to' }
const above: Comparison = { breaks: (a, b) => a >= b, words: 'less than' }

function limitCheck(
  limit: number,
  what: string,
  capacity: Capacity,
  { breaks, words }: Comparison,
): LimitCheck {
  const holds = capacity.holds(limit)
  const whole = toInt64(limit)
  return (number, name, found) => {
    if (!holds) found.push(capacity.problem(what, name))
    const asInteger = holds && number.kind === 'integer'
    const value = asInteger ? number.value : Number(number.value)
    if (!breaks(value, asInteger ? whole : limit)) return
    const text = `${name} in body should be ${words} ${asInteger ? whole : goFloatText(limit)}`
    found.push(invalidAt(name, shown(value), text))
  }
}

function multipleOfCheck(factor: number, capacity: Capacity): LimitCheck {
  const holds = capacity.holds(factor)
  const whole = toInt64(factor)
  return (number, name, found) => {
    if (!holds) found.push(capacity.problem('MultipleOf', name))
    const asInteger = holds && number.kind === 'integer'
    const used = asInteger ? whole : factor
    const text = asInteger ? String(whole) : goFloatText(factor)
    if (used <= 0) {
      const problem = `factor MultipleOf declared for ${name} must be positive: ${text}`
      found.push(invalidAt(name, shown(used), problem))
    } else if (!(asInteger ? dividesExactly(number.value, whole) : divides(Number(number.value), factor))) {
      const value = asInteger ? number.value : Number(number.value)
      found.push(invalidAt(name, shown(value), `${name} in body should be a multiple of ${text}`))
    }
  }
}

const dividesExactly = (value: number | bigint, factor: number | bigint): boolean =>
  BigInt(value) % BigInt(factor) === 0n

const divides = (value: number, factor: number): boolean =>
  isNearInteger(factor < 1 ? (1 / factor) * value : value / factor)

/** As Go would print it, which JSON can say too. */
function shown(value: number | bigint): unknown {
  const text = typeof value === 'number' ? goFloatText(value) : String(value)
  if (typeof value === 'number' && String(value) === text) return value
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }
  return rawJSON?.(text) ?? Number(value)
}
