export interface Estimate {
  readonly median: number
  /** An interval that holds the true median in at least 95 of 100 runs, whatever the distribution. */
  readonly low: number
  readonly high: number
  readonly samples: number
}

/**
 * The median and its interval by order statistics. Nothing is assumed about the noise: on a shared machine it is
 * anything but normal, and one slow pair must not move the result.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b)
  const samples = sorted.length
  const at = (index: number): number => sorted[Math.min(samples - 1, Math.max(0, index))] ?? Number.NaN
  const median = samples % 2 === 1 ? at((samples - 1) / 2) : (at(samples / 2 - 1) + at(samples / 2)) / 2
  const outside = ranksOutside(samples)
  return { median, low: at(outside), high: at(samples - 1 - outside), samples }
}

/** How many samples may be cut off at each end so that the rest still covers the median with 95 %. */
function ranksOutside(samples: number): number {
  let probability = 0.5 ** samples
  let tail = probability
  let rank = 0
  while (2 * tail <= 0.05 && rank < samples / 2) {
    rank++
    probability = (probability * (samples - rank + 1)) / rank
    tail += probability
  }
  return Math.max(0, rank - 1)
}
