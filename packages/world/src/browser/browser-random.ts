import type { Random } from '../random.ts'

export const browserRandom: Random = {
  fraction: () => Math.random(),
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
}
