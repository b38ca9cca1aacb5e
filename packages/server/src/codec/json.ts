/** The bytes are not JSON, or not an object. The message says where. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson'
}

/**
 * Parses one JSON object. The one place where bytes become values, so that what is said about precision and
 * duplicate keys has one home.
 */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch (error) {
    throw new MalformedJson(error instanceof Error ? error.message : String(error))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('expected a JSON object')
  }
  return value as Record<string, unknown>
}

/** Equal as JSON values; the order of keys does not matter, that of items does. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((each, index) => equalJson(each, b[index]))
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left).filter((key) => left[key] !== undefined)
  const others = Object.keys(right).filter((key) => right[key] !== undefined)
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
  )
}
