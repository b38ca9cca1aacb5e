/** As many as the largest number of 64 bits has. */
const mostDigits = 20
/** How much of what a client sent is repeated in an error. */
const mostShown = 100

/**
 * The value of digits with or without a sign, or undefined if it is beyond 64 bits in any case. To read a million digits
 * takes a fifth of a second, in which no other request is served.
 */
export function boundedInteger(text: string): bigint | undefined {
  const digits = text.replace(/^[-+]?0*/, '')
  if (digits.length > mostDigits) return undefined
  const value = BigInt(digits)
  return text.startsWith('-') ? -value : value
}

export const shortened = (text: string): string =>
  text.length > mostShown ? `${text.slice(0, mostShown)}...` : text
