/** The digits of the largest 64-bit number. */
const mostDigits = 20
/** How much of a client's value an error repeats. */
const mostShown = 100

/**
 * The value of digits with an optional sign, or undefined if it certainly exceeds 64 bits. Parsing a million digits would block
 * all requests for a fifth of a second.
 */
export function boundedInteger(text: string): bigint | undefined {
  const digits = text.replace(/^[-+]?0*/, '')
  if (digits.length > mostDigits) return undefined
  const value = BigInt(digits)
  return text.startsWith('-') ? -value : value
}

export const shortened = (text: string): string =>
  text.length > mostShown ? `${text.slice(0, mostShown)}...` : text
