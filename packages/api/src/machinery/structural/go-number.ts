import { isRawNumber, type RawNumber } from '../patch/raw-number.ts'

/** A number as Go's decoder takes it: an int64 if it is written as one and fits, else a float64. */
export type GoNumber =
  | { readonly kind: 'integer'; readonly value: number | bigint }
  | { readonly kind: 'number'; readonly value: number }

const digits = /^-?\d+$/
const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

export function goNumber(value: number | RawNumber): GoNumber {
  if (typeof value === 'number') {
    return isInt64(value) ? { kind: 'integer', value } : { kind: 'number', value }
  }
  const text = value.rawJSON
  if (text.length <= 20 && digits.test(text)) {
    const exact = BigInt(text)
    if (exact >= least && exact <= most) {
      return { kind: 'integer', value: isSafe(exact) ? Number(exact) : exact }
    }
  }
  return { kind: 'number', value: Number(text) }
}

const isSafe = (value: bigint): boolean => Number.isSafeInteger(Number(value))

/** Two to the 63rd is the first float that is not an int64 any more. */
export const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63

/** Which of the JSON types a value has, as upstream's validation names them. */
export function goKindOf(value: unknown): 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (Array.isArray(value)) return 'array'
  return isRawNumber(value) ? goNumber(value).kind : 'object'
}

/** A float that is an integer, or so close to one that upstream takes it for one. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const rounded = Math.round(value)
  if (value === rounded) return true
  return rounded !== 0 && Math.abs(value - rounded) < 1e-9 * Math.abs(rounded)
}

/** What Go's int64(x) makes of a limit: cut off after the point. Beyond the range it is the end of the range. */
export function toInt64(value: number): number | bigint {
  const whole = Math.trunc(value)
  if (Number.isSafeInteger(whole)) return whole
  if (whole >= 2 ** 63) return most
  return whole < -(2 ** 63) ? least : BigInt(whole)
}

/** A float as Go prints it: its exponents have two digits, and come sooner for small numbers. */
export function goFloatText(value: number): string {
  const size = Math.abs(value)
  const text = size !== 0 && size < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}
