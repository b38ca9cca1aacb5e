import type { Revision } from '../../store/index.ts'
import { boundedInteger, shortened } from './bounded-integer.ts'

/**
 * A revision as a client has written it. A bigint is one that no store of ours reaches: it is kept so that the answer
 * repeats it exactly, since as a number it would be rounded.
 */
export type AskedRevision = Revision | bigint

const mostUint64 = (1n << 64n) - 1n

/** A resourceVersion other than "" and "0", read as upstream does, or what is wrong with it in Go's words. */
export function parseResourceVersion(text: string): AskedRevision | { readonly problem: string } {
  const problem = (why: string) => ({
    problem: `strconv.ParseUint: parsing ${JSON.stringify(shortened(text))}: ${why}`,
  })
  if (!/^[0-9]+$/.test(text)) return problem('invalid syntax')
  const value = boundedInteger(text)
  if (value === undefined || value > mostUint64) return problem('value out of range')
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}
