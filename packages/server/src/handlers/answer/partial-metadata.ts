import { MalformedJson, parseObject } from '../../codec/index.ts'
import type { ServedResource } from '../../registry/index.ts'

const metadataKey = Buffer.from('"metadata":')

/** Cuts the metadata out of the served bytes. They are parsed only if they do not begin as this server writes them. */
export function metadataOnly(
  { definition, apiVersion }: ServedResource,
  metadataVersion: string,
  served: Uint8Array,
): Uint8Array {
  const head = `{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  const bytes = Buffer.from(served.buffer, served.byteOffset, served.byteLength)
  const start = head.length + metadataKey.length
  const isOwn =
    bytes.toString('latin1', 0, head.length) === head &&
    metadataKey.compare(bytes, head.length, Math.min(start, bytes.length)) === 0
  const metadata = isOwn
    ? bytes.subarray(start, endOfObject(bytes, start))
    : Buffer.from(JSON.stringify(parseObject(served)['metadata'] ?? {}))
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${metadataVersion}","metadata":`),
    metadata,
    Buffer.from('}'),
  ])
}

const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]

/** The position after the object that begins at `start`. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === open) depth++
    else if (byte === close && --depth === 0) return at + 1
  }
  throw new MalformedJson('the metadata of a stored object does not end')
}

/** The position of the quote that ends the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start
  while (true) {
    at = bytes.indexOf(quote, at + 1)
    if (at < 0) return bytes.length
    // The quote is part of the string if an odd number of backslashes precedes it.
    let before = at
    while (bytes[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
}
