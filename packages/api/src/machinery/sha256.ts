/**
 * SHA-256 (FIPS 180-4) of names. Nothing here is secret: the hashes are those that Kubernetes publishes. Node's would keep this
 * package out of browsers, and the browser's own answers later.
 */
export function sha256(message: Uint8Array): Uint8Array {
  const state = Uint32Array.from(initial)
  const blocks = padded(message)
  const words = new Uint32Array(64)
  for (let at = 0; at < blocks.byteLength; at += 64) {
    for (let index = 0; index < 16; index++) words[index] = blocks.getUint32(at + 4 * index)
    mix(state, words)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => {
    digest.setUint32(4 * index, word)
  })
  return new Uint8Array(digest.buffer)
}

/** A one bit, zeros, and the length in bits, up to whole blocks of 64 bytes. */
function padded(message: Uint8Array): DataView {
  const { length } = message
  const bytes = new Uint8Array(Math.ceil((length + 9) / 64) * 64)
  bytes.set(message)
  bytes[length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(bytes.length - 4, length << 3)
  return view
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

function mix(state: Uint32Array, words: Uint32Array): void {
  const word = (index: number): number => words[index] ?? 0
  for (let at = 16; at < 64; at++) {
    const [two, fifteen] = [word(at - 2), word(at - 15)]
    const low = rotate(fifteen, 7) ^ rotate(fifteen, 18) ^ (fifteen >>> 3)
    const high = rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10)
    words[at] = word(at - 16) + low + word(at - 7) + high
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at++) {
    const chosen = (e & f) ^ (~e & g)
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + chosen + (constants[at] ?? 0) + word(at)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value
}

/** The first 32 bits of the fractional parts of roots of the first primes. */
const fractions = (root: (prime: number) => number, count: number): readonly number[] =>
  primes(count).map((prime) => Math.floor((root(prime) % 1) * 2 ** 32))

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let next = 2; found.length < count; next++)
    if (found.every((each) => next % each !== 0)) found.push(next)
  return found
}

const initial = /* @__PURE__ */ fractions(Math.sqrt, 8)
const constants = /* @__PURE__ */ fractions(Math.cbrt, 64)
