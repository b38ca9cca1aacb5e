import { randomFillSync } from 'node:crypto'
import type { Random } from '../random.ts'

const POOL_BYTES = 4096

/** The system's randomness, drawn in pages: one call per number would cost more than the number. */
export function createNodeRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES)
  const view = new DataView(pool.buffer)
  let used = POOL_BYTES
  const take = (length: number): number => {
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const at = used
    used += length
    return at
  }
  return {
    fraction: () => {
      const at = take(8)
      // 53 bits, all that a double in [0, 1) can hold evenly.
      const high = view.getUint32(at) >>> 5
      const low = view.getUint32(at + 4) >>> 6
      return (high * 2 ** 26 + low) / 2 ** 53
    },
    bytes: (length) => {
      if (length > POOL_BYTES / 4) return randomFillSync(new Uint8Array(length))
      const at = take(length)
      return pool.slice(at, at + length)
    },
  }
}
