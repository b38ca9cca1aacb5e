import type { Revision } from '../../store/index.ts'
import { boundedInteger, shortened } from './bounded-integer.ts'

/**
 * A revision as a client wrote it. A bigint exceeds every revision of our stores; it is kept so that the answer repeats it
 * exactly, where a number would be rounded.
 */
export type AskedRevision = Revision | bigint

const mostUint64 = (1n << 64n) - 1n

/** Parses a resourceVersion other than "" and "0" like upstream; the problem is in Go's words. */
export function parseResourceVersion(text: string): AskedRevision | { readonly problem: string } {
  const problem = (why: string) => ({
    problem: `strconv.ParseUint: parsing ${JSON.stringify(shortened(text))}: ${why}`,
  })
  if (!/^[0-9]+$/.test(text)) return problem('invalid syntax')
  const value = boundedInteger(text)
  if (value === undefined || value > mostUint64) return problem('value out of range')
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}
