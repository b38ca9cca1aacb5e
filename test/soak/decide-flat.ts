import type { MemorySample } from './retained-memory.ts'

export interface Trend {
  /** The medians of the first and of the last fifth of the samples after the warm-up. */
  readonly startBytes: number
  readonly endBytes: number
  /** The median of the slopes between all pairs of samples (Theil–Sen): a few outliers do not move it. */
  readonly bytesPerMinute: number
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

export function trendOf(
  samples: readonly MemorySample[],
  of: (sample: MemorySample) => number,
): Trend | undefined {
  if (samples.length < 5) return undefined
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  const slopes: number[] = []
  for (const [index, later] of samples.entries()) {
    for (const earlier of samples.slice(0, index)) {
      const minutes = (later.atMs - earlier.atMs) / 60_000
      if (minutes > 0) slopes.push((of(later) - of(earlier)) / minutes)
    }
  }
  return {
    startBytes: median(samples.slice(0, fifth).map(of)),
    endBytes: median(samples.slice(-fifth).map(of)),
    bytesPerMinute: median(slopes),
  }
}

export interface Allowance {
  readonly share: number
  readonly bytes: number
}

/** The growth that caches and compiled code may still cause after the warm-up. */
export const heldAllowance: Allowance = { share: 0.1, bytes: 8 * 1024 * 1024 }
/** The allocators below keep and return pages as they like; a leak that only they see is larger than this in half an hour. */
export const residentAllowance: Allowance = { share: 0.3, bytes: 64 * 1024 * 1024 }

/** Flat: what the trend adds over the whole time is within what is allowed. */
export function decideFlat(trend: Trend, minutes: number, { share, bytes } = heldAllowance): boolean {
  return trend.bytesPerMinute * minutes <= Math.max(bytes, trend.startBytes * share)
}
