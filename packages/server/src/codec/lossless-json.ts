import type { RawNumber } from '@strata/api'

/**
 * JSON in and out without loss. JavaScript's numbers cannot hold every integer, nor the difference between 1 and
 * 1.0; both must survive a round trip (a generation beyond 2^53, a float field that a client wrote as 1.0). A number
 * that would be written differently than it was read is kept as its source text.
 */

const { rawJSON } = JSON as unknown as { rawJSON(text: string): RawNumber }

/**
 * Only numbers with a fraction, an exponent, a leading "-0" or sixteen digits can be written differently than they
 * are read. Most objects have none, and are parsed without looking at each number. A text that merely looks like
 * it ("v1.2" in a string) only costs the slower way, which is also for characters that are written as surrogates.
 */
const suspicious = /\d{16}|\d\.\d|\d[eE]|-0|\\u[dD][89a-fA-F]/

/** Parses JSON; throws the engine's SyntaxError on malformed text. */
export function parseLossless(text: string): unknown {
  return suspicious.test(text)
    ? JSON.parse(text, keepSource as (key: string, value: unknown) => unknown)
    : JSON.parse(text)
}

function keepSource(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  // Half of a pair of surrogates is no character. As in Go, another character takes its place.
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'number' || context.source === undefined) return value
  return String(value) === context.source ? value : rawJSON(context.source)
}
