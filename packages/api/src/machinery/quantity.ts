import { type Decimal, decimal, roundUp } from './decimal.ts'

/** Which family of suffixes a quantity was given in, and is written in again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

export interface Quantity extends Decimal {
  readonly format: QuantityFormat
  /** The original text, if Go keeps it: Go treats some texts as canonical that are not, such as `+5` and `1.001`. */
  readonly asWritten?: string
}

export type ParsedQuantity =
  | { readonly quantity: Quantity; readonly problem?: undefined }
  | { readonly problem: string }

/** Upstream's words. */
const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongNumber = 'unable to parse numeric part of quantity'
const wrongSuffix = "unable to parse quantity's suffix"

/** Laxer than what the message says, as upstream is: even a suffix alone is a quantity, of nothing. */
const parts = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const binarySuffixes: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])

/** The smallest part there is of anything. */
const nano = -9
/** Go's 64 bits: no binary quantity is more. */
const maxBinary = (1n << 63n) - 1n

/** An amount of something, as resource.Quantity reads it: `500m`, `1.5Gi`, `12e6`. */
export function parseQuantity(text: string): ParsedQuantity {
  const found = text === '' ? null : parts.exec(text)
  if (!found) return { problem: wrongFormat }
  const [, sign, whole = '', fraction = '', suffix = ''] = found
  const isNegative = sign === '-'
  const known = interpretSuffix(suffix)
  if (!known) return { problem: wrongSuffix }
  const { format, exponent } = known
  const digits = (whole.replace(/^0+/, '') || '0') + fraction
  if (format === 'BinarySI') {
    const value = binaryAmount(isNegative, digits, fraction.length, exponent)
    const isKept = fraction === '' && isKeptBinary(digits, exponent)
    return { quantity: { ...value, format, ...(isKept ? { asWritten: text } : {}) } }
  }
  const scale = exponent - fraction.length
  if (digits.length <= 18 && scale >= nano) {
    const isKept = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
    return {
      quantity: { ...decimal(isNegative, digits, scale), format, ...(isKept ? { asWritten: text } : {}) },
    }
  }
  if (whole + fraction === '') return { problem: wrongNumber }
  return { quantity: { ...roundUp(decimal(isNegative, digits, scale), nano), format } }
}

function interpretSuffix(suffix: string): { format: QuantityFormat; exponent: number } | undefined {
  const power = decimalSuffixes.get(suffix)
  if (power !== undefined) return { format: 'DecimalSI', exponent: power }
  const bits = binarySuffixes.get(suffix)
  if (bits !== undefined) return { format: 'BinarySI', exponent: bits }
  const [, sign, digits] = /^[eE]([-+]?)0*(\d+)$/.exec(suffix) ?? []
  if (digits === undefined || digits.length > 19) return undefined
  const exponent = BigInt(`${sign === '-' ? '-' : ''}${digits}`)
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) }
}

/** Go has a quicker way for short binary numbers, on which it looks at the last three bits only. */
function isKeptBinary(digits: string, bits: number): boolean {
  const precision = 15 - digits.length - Math.trunc((bits * 3) / 10) - 1
  return precision >= 0 && Number(digits) % 8 !== 0
}

/** Digits behind the point that can still matter once 2^60 of them are rounded to the smallest part. */
const fractionDigits = 40

function binaryAmount(isNegative: boolean, digits: string, scale: number, bits: number): Decimal {
  if (digits.length - scale > 20) return decimal(isNegative, String(maxBinary), 0)
  // However long the rest is, it matters only whether there is anything.
  const cut = digits.slice(0, Math.max(digits.length - scale + fractionDigits, 1))
  const rest = /[1-9]/.test(digits.slice(cut.length)) ? '1' : ''
  const shown = cut + rest
  const exponent = shown.length - (digits.length - scale)
  const amount = decimal(isNegative, String(BigInt(shown) << BigInt(bits)), -exponent)
  const isTooMuch = BigInt(shown) << BigInt(bits) > maxBinary * 10n ** BigInt(exponent)
  return isTooMuch ? decimal(isNegative, String(maxBinary), 0) : roundUp(amount, nano)
}
