import type { HttpHeaders } from '@strata/world'

/** No credential of ours; one that cannot be read; or one to be looked at. */
export type Presented = 'none' | 'malformed' | { readonly token: string }

/**
 * The bearer token of a request. Another scheme is not ours to judge, nor is one without a token behind it: whoever
 * sends that is anonymous, as upstream has it. Two credentials at once are none: which of them counts would depend on
 * who reads the header.
 */
export function bearerToken(header: HttpHeaders[string] | undefined): Presented {
  if (header === undefined) return 'none'
  if (typeof header !== 'string') return header.length === 1 ? bearerToken(header[0]) : 'malformed'
  const text = withoutBlanks(header)
  const space = text.indexOf(' ')
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return 'none'
  const token = text.slice(space + 1)
  // A space too many, and upstream sees an empty token there.
  if (token.startsWith(' ')) return 'none'
  return /\s/.test(token) ? 'malformed' : { token }
}

/** Of blanks around it, and of nothing else that looks like one; by hand, so that a long header costs no more than its length. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
