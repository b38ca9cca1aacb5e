import type { Random } from '../random.ts'

/** Random numbers that are the same in every run with the same seed. */
export interface SimRandom extends Random {
  /** Uniform whole number in [0, 2³²). */
  uint32(): number
  /**
   * A stream of its own. It depends on the seed, the label and how often the label was forked before,
   * not on how much was drawn from the parent: one more draw in the network must not change every
   * identifier in every server, or a failing seed would fail no more after an unrelated change.
   */
  fork(label: string): SimRandom
}

/** cyrb128: four words of state out of a text, every bit of the text touching every word. */
function hashToState(text: string): [number, number, number, number] {
  let a = 1779033703
  let b = 3144134277
  let c = 1013904242
  let d = 2773480762
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a]
}

/** sfc32: small, fast, and it passes the usual statistical suites. */
function createGenerator(seed: string): () => number {
  let [a, b, c, counter] = hashToState(seed)
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  // The first numbers still resemble the seed.
  for (let i = 0; i < 16; i++) next()
  return next
}

export function createSimRandom(seed: string): SimRandom {
  const uint32 = createGenerator(seed)
  const forks = new Map<string, number>()
  return {
    uint32,
    fraction: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    bytes: (length) => {
      const bytes = new Uint8Array(length)
      for (let i = 0; i < length; i += 4) {
        const word = uint32()
        for (let j = 0; j < 4 && i + j < length; j++) bytes[i + j] = word >>> (8 * j)
      }
      return bytes
    },
    fork: (label) => {
      const count = (forks.get(label) ?? 0) + 1
      forks.set(label, count)
      return createSimRandom(`${seed}/${label}#${count}`)
    },
  }
}
