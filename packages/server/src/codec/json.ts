import {
  describeMalformedJson,
  isRawNumber,
  jsonTypeName,
  NumberOutOfRange,
  parseLossless,
} from '@strata/api'

/** The bytes are not JSON, or not an object. The message says where. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson'
}

/** Parses one JSON object. All bytes become values here, so precision and duplicate keys are handled in one place. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  return parseObjectText(textOf(bytes))
}

export function parseObjectText(text: string, parse = parseLossless): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new MalformedJson(describeUnparsed(error, text), { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson(notAnObject(value))
  }
  return value as Record<string, unknown>
}

/** The message of Go's decoder for a parse error. */
export const describeUnparsed = (error: unknown, text: string): string =>
  error instanceof NumberOutOfRange ? error.message : describeMalformedJson(text)

/** Go first reads the kind, into a struct whose name is in every such message. */
function notAnObject(value: unknown): string {
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${struct}`
}

/** UTF-8 to text, without a copy first. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Equal as JSON values; the order of keys does not matter, the order of items does. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!equalJson(a[index], b[index])) return false
    return true
  }
  return equalFields(a as Record<string, unknown>, b as Record<string, unknown>)
}

/** Loops without key lists, for speed: every change of an agreement record compares all of it. */
function equalFields(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  let count = 0
  for (const key of Object.keys(left)) {
    const value = left[key]
    if (value === undefined) continue
    if (!Object.hasOwn(right, key) || !equalJson(value, right[key])) return false
    count++
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) count--
  return count === 0
}
