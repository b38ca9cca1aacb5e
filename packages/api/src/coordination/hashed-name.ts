import { sha256 } from '../machinery/sha256.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

function base32(bytes: Uint8Array): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      text += alphabet[(value >>> (bits - 5)) & 31]
      bits -= 5
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

/** Two bytes of length, then the text. */
function lengthPrefixed(text: string): readonly number[] {
  const bytes = new TextEncoder().encode(text)
  return [(bytes.length >> 8) & 0xff, bytes.length & 0xff, ...bytes]
}

/** Upstream's form of a server ID: 16 bytes of a SHA-256 over the parts, in 26 characters of base32. */
export function hashedName(...parts: readonly string[]): string {
  return base32(sha256(Uint8Array.from(parts.flatMap(lengthPrefixed))).subarray(0, 16))
}
