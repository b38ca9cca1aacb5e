import type { RawNumber } from '../patch/raw-number.ts'
import { endOfString } from './json-text.ts'

/**
 * JSON in and out without loss. JavaScript's numbers cannot hold every integer, nor the difference between 1 and 1.0; both must
 * survive a round trip (a generation beyond 2^53, a float field that a client wrote as 1.0). A number that would be written
 * differently than it was read is kept as its source text.
 */

const { rawJSON } = JSON as unknown as { rawJSON(text: string): RawNumber }

/**
 * Only numbers with a fraction, an exponent, a leading "-0" or sixteen digits can be written differently than they are read. Most
 * objects have none, and are parsed without checking each number, in a fifth of the time. The pattern includes the character
 * before a number, because two of three uids contain something like "4e2". A text that only looks like it ("since 1.2" in a
 * string, as in the schemas of most projects) is checked again without its strings. The slow path also handles characters written
 * as surrogates.
 */
const suspicious = /[:,[\s](?:-0|-?\d{16}|-?\d+[.eE])|\\u[dD][89a-fA-F]/
const surrogate = /\\u[dD][89a-fA-F]/
const lossy = /-0|\d{16}|\d[.eE]/
/** A number that is the whole text has nothing before it. */
const bare = /^[-\d]/

/** Parses JSON; throws the engine's SyntaxError on malformed text. */
export function parseLossless(text: string): unknown {
  return parseWith(text, keepSource)
}

/** A number that no Go client can read, in the words of Go's decoder. */
export class NumberOutOfRange extends SyntaxError {
  override readonly name = 'NumberOutOfRange'
  constructor(source: string) {
    super(`json: cannot unmarshal number ${source} into Go value of type float64`)
  }
}

/**
 * The same for JSON of a client or a webhook. A number beyond the range of a float64 is refused, as kube-apiserver does: once
 * stored, it would make every list fail for every Go client. Stored bytes may contain it. Minus zero becomes zero.
 */
export function parseSent(text: string): unknown {
  return parseWith(text, keepSourceInRange)
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

function parseWith(text: string, revive: Reviver): unknown {
  return (suspicious.test(text) && (surrogate.test(text) || hasLossyNumber(text))) || bare.test(text)
    ? JSON.parse(text, revive as (key: string, value: unknown) => unknown)
    : JSON.parse(text)
}

/** Outside strings, digits occur only in numbers. For text that is not JSON the result does not matter. */
function hasLossyNumber(text: string): boolean {
  let from = 0
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', from)) {
    if (start - from >= shortestGap && lossy.test(text.slice(from, start))) return true
    from = endOfString(text, start) + 1
  }
  return lossy.test(text.slice(from))
}

/** `:-0,`; most gaps are a single colon or comma. */
const shortestGap = 4

function keepSource(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  // An unpaired surrogate is not a character. As in Go, it is replaced.
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'number' || context.source === undefined) return value
  return String(value) === context.source ? value : rawJSON(context.source)
}

function keepSourceInRange(key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NumberOutOfRange(context.source ?? '')
  // Go reads an integer, and writes 0. Kept as text, it would equal no other number.
  if (context.source === '-0') return 0
  return keepSource(key, value, context)
}
