/** Chance, handed in: jitter, identifiers, name suffixes, and in the simulation every fault. */
export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number
  bytes(length: number): Uint8Array
}

/** Uniform whole number in [0, below). */
export function integer(random: Random, below: number): number {
  return Math.floor(random.fraction() * below)
}

/** True with the given probability. */
export function chance(random: Random, probability: number): boolean {
  return random.fraction() < probability
}

export function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return from[integer(random, from.length)] ?? from[0]
}

/** All items, in a random order. */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((each) => ({ each, at: random.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
}

/** `base` ± `factor` of it, so that servers started together do not act together. */
export function jitter(random: Random, base: number, factor: number): number {
  return base * (1 - factor + 2 * factor * random.fraction())
}

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
