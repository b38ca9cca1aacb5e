/** A double as Go's `%g` writes it: `0.5`, `1e+06`, `+Inf`. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  return exponent < -4 || exponent >= 21 || (exponent >= 6 && !keepsPlain(value))
    ? `${mantissa}e${exponentText(exponent)}`
    : plainText(value)
}

// Whole numbers too: `%g` writes a million with an exponent.
const keepsPlain = (value: number): boolean => Math.abs(value) < 1e6

/** `+06`: a sign, and at least two digits. */
export const exponentText = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** Without an exponent, however long that is. */
function plainText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const [mantissa = '', power = '0'] = text.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const exponent = Number(power)
  const digits = whole + fraction
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  return `${sign}${digits.padEnd(exponent + 1, '0')}`
}

export function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

const number =
  /^[+-]?(?:(?:\d+(?:_?\d)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+)$/

/** What Go's ParseFloat takes; undefined for anything else, and for what is too large. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  if (/^nan$/i.test(text)) return Number.NaN
  if (!number.test(text) || /[xX_]/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
