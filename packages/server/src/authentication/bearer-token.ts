import type { HttpHeaders } from '@strata/world'

/** No bearer credential; a malformed one; or a token to check. */
export type Presented = 'none' | 'malformed' | { readonly token: string }

/**
 * The bearer token of a request. Another scheme, or one without a token, counts as no token, as upstream. Two credentials at
 * once are malformed: different readers of the header might pick different ones.
 */
export function bearerToken(header: HttpHeaders[string] | undefined): Presented {
  if (header === undefined) return 'none'
  if (typeof header !== 'string') return header.length === 1 ? bearerToken(header[0]) : 'malformed'
  const text = withoutBlanks(header)
  const space = text.indexOf(' ')
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return 'none'
  const token = text.slice(space + 1)
  // With an extra space upstream sees an empty token.
  if (token.startsWith(' ')) return 'none'
  return /\s/.test(token) ? 'malformed' : { token }
}

/** Trims only blanks; by hand, so that a long header costs no more than its length. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
