const word = Buffer.from('"Established"')
/** Another program may have escaped a letter. */
const escaped = Buffer.from('\\u00')

/**
 * False if a CRD is certainly not established, without parsing it. A restarting server replays recent history, and so meets each
 * new CRD first as the client sent it.
 */
export function mayBeEstablished(stored: Uint8Array): boolean {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  return bytes.includes(word) || bytes.includes(escaped)
}
