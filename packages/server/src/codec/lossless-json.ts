import type { RawNumber } from '@strata/api'

/**
 * JSON in and out without loss. JavaScript's numbers cannot hold every integer, nor the difference between 1 and
 * 1.0; both must survive a round trip (a generation beyond 2^53, a float field that a client wrote as 1.0). A number
 * that would be written differently than it was read is kept as its source text.
 */

const { rawJSON } = JSON as unknown as { rawJSON(text: string): RawNumber }

/**
 * Only numbers with a fraction, an exponent, a leading "-0" or sixteen digits can be written differently than they
 * are read. Most objects have none, and are parsed without looking at each number, which takes a fifth of the time.
 * What stands before a number is asked for as well, because two of three uids have something like "4e2" in them. A
 * text that merely looks like it ("at: 1.2" in a string) only costs the slower way, which is also for characters that
 * are written as surrogates.
 */
const suspicious = /[:,[\s](?:-0|-?\d{16}|-?\d+[.eE])|\\u[dD][89a-fA-F]/
/** A number that is all there is has nothing before it. */
const bare = /^[-\d]/

/** Parses JSON; throws the engine's SyntaxError on malformed text. */
export function parseLossless(text: string): unknown {
  return suspicious.test(text) || bare.test(text)
    ? JSON.parse(text, keepSource as (key: string, value: unknown) => unknown)
    : JSON.parse(text)
}

function keepSource(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  // Half of a pair of surrogates is no character. As in Go, another character takes its place.
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'number' || context.source === undefined) return value
  return String(value) === context.source ? value : rawJSON(context.source)
}
