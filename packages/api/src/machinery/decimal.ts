/**
 * A number of any size, exactly: digits without zeros at either end, times a power of ten. Zero has no digits. It is
 * never written out, so that `1e1000000000` costs no more than `1`.
 */
export interface Decimal {
  readonly isNegative: boolean
  readonly digits: string
  readonly exponent: number
}

export function decimal(isNegative: boolean, digits: string, exponent: number): Decimal {
  let first = 0
  while (digits[first] === '0') first++
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end--
  if (first === end) return { isNegative: false, digits: '', exponent: 0 }
  return { isNegative, digits: digits.slice(first, end), exponent: exponent + digits.length - end }
}

/** To a multiple of that power of ten, away from zero. */
export function roundUp(value: Decimal, exponent: number): Decimal {
  const { isNegative, digits } = value
  const dropped = exponent - value.exponent
  if (digits === '' || dropped <= 0) return value
  // The last digit is not zero, so something is lost; nines pass the one that is added on to the digit before them.
  let end = Math.max(digits.length - dropped, 0)
  while (end > 0 && digits[end - 1] === '9') end--
  const kept = Math.max(digits.length - dropped, 0)
  const last = end === 0 ? 1 : Number(digits[end - 1]) + 1
  return decimal(isNegative, digits.slice(0, Math.max(end - 1, 0)) + last, exponent + kept - end)
}

/** Less than, equal to or greater than 0, as `a` is to `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = signOf(a)
  if (sign !== signOf(b)) return sign - signOf(b)
  const left = a.digits.length + a.exponent
  const right = b.digits.length + b.exponent
  if (left !== right) return sign * (left - right)
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -sign : sign
}

function signOf({ isNegative, digits }: Decimal): number {
  if (digits === '') return 0
  return isNegative ? -1 : 1
}
