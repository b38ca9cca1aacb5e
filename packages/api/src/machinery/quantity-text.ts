import { roundUp } from './decimal.ts'
import { parseQuantity, type Quantity } from './quantity.ts'

/** What Go's decoder says about a value that is no quantity, or undefined. Numbers are quantities too. */
export function quantityProblem(value: unknown): string | undefined {
  return parseQuantity(textOf(value)).problem
}

/** A quantity as Go writes it once it has read it: `1000m` is `1`, `0.5` is `500m`. Other values stay as they are. */
export function quantityText(value: unknown): unknown {
  // Go's zero value, which a map has where it was given null.
  if (value === null) return '0'
  const { quantity } = parsed(value)
  return quantity ? canonicalText(quantity) : value
}

/** The same in thousandths at most: upstream rounds up what is finer wherever resources are listed by name. */
export function milliQuantityText(text: string): string {
  if (plain.test(text)) return text
  const { quantity } = parsed(text)
  if (!quantity || quantity.exponent >= -3) return text
  return canonicalText({ ...roundUp(quantity, -3), format: quantity.format })
}

/** Whole numbers and thousandths, which nearly all quantities are. */
const plain = /^\d+(?:m|k|[KMGTPE]i?)?$/

function parsed(value: unknown): { readonly quantity?: Quantity } {
  return parseQuantity(textOf(value)) as { quantity?: Quantity }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

const decimalSuffixes: ReadonlyMap<number, string> = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
])
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const

function canonicalText(quantity: Quantity): string {
  const { asWritten, digits, format, isNegative } = quantity
  if (asWritten !== undefined) return asWritten
  if (digits === '') return '0'
  const amount = (format === 'BinarySI' ? binaryText(quantity) : undefined) ?? decimalText(quantity)
  return isNegative ? `-${amount}` : amount
}

/** Undefined for what would have to be rounded, and for what is too little to have a binary suffix. */
function binaryText({ digits, exponent }: Quantity): string | undefined {
  if (exponent < 0 || digits.length + exponent < 4) return undefined
  let amount = BigInt(digits + '0'.repeat(exponent))
  if (amount < 1024n) return undefined
  let power = 0
  while (amount % 1024n === 0n) {
    amount /= 1024n
    power++
  }
  return `${amount}${binarySuffixes[power] ?? ''}`
}

function decimalText({ digits, exponent, format }: Quantity): string {
  const zeros = ((exponent % 3) + 3) % 3
  const power = exponent - zeros
  const suffix = format === 'DecimalExponent' ? undefined : decimalSuffixes.get(power)
  // Upstream has no suffix for a thousand E and leaves it out: 1000E becomes 1. Here it becomes 1e21, which it is.
  return `${digits}${'0'.repeat(zeros)}${suffix ?? (power === 0 ? '' : `e${power}`)}`
}
