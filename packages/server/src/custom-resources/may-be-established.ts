const word = Buffer.from('"Established"')
/** Somebody else may have written a letter by its number. */
const escaped = Buffer.from('\\u00')

/**
 * False if a definition surely is not established, without parsing it. A server that starts again goes through all that
 * has happened lately, and so meets each new definition first as it was sent.
 */
export function mayBeEstablished(stored: Uint8Array): boolean {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  return bytes.includes(word) || bytes.includes(escaped)
}
