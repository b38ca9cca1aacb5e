export interface Parallelism {
  /** How many requests may be under way, with the fraction that is not yet a whole one. */
  readonly allowed: number
  /** How long answers take now, smoothed. */
  readonly recentMs: number | undefined
  /** How long they take when nobody is in the way. */
  readonly lowWaterMs: number | undefined
  /** Answers since the last cut: what was under way then says nothing about the time after it. */
  readonly sinceCut: number
}

export interface ParallelismLimits {
  readonly start: number
  readonly max: number
  /** Answers that are quicker than this are never slow, whatever the low-water mark. */
  readonly slackMs: number
}

export const parallelismLimits: ParallelismLimits = { start: 4, max: 64, slackMs: 20 }

export function startParallelism({ start, max }: ParallelismLimits = parallelismLimits): Parallelism {
  const allowed = Math.max(1, Math.min(start, max))
  return { allowed, recentMs: undefined, lowWaterMs: undefined, sinceCut: allowed }
}

export type Answered =
  | { readonly kind: 'fine'; readonly latencyMs: number }
  /** 429, 503, or a wish to be left alone for a while. */
  | { readonly kind: 'congested' }

const smoothing = 0.2
/** The mark rises a little with every answer, so that a server which has become slower for good is found normal again. */
const forgetting = 1.0005

/**
 * One more for each round that went well, half of it when the server pushes back, less when answers take twice as long as
 * they need to: the migration takes what others leave.
 */
export function adaptParallelism(
  before: Parallelism,
  answered: Answered,
  limits: ParallelismLimits = parallelismLimits,
): Parallelism {
  const sinceCut = before.sinceCut + 1
  const mayCut = sinceCut > before.allowed
  if (answered.kind === 'congested') {
    return mayCut ? { ...before, ...cut(before, 0.5) } : { ...before, sinceCut }
  }
  const { latencyMs } = answered
  const recentMs =
    before.recentMs === undefined ? latencyMs : before.recentMs + smoothing * (latencyMs - before.recentMs)
  const lowWaterMs =
    before.lowWaterMs === undefined ? recentMs : Math.min(recentMs, before.lowWaterMs * forgetting)
  const measured = { recentMs, lowWaterMs }
  const isSlow = recentMs > Math.max(2 * lowWaterMs, lowWaterMs + limits.slackMs)
  if (isSlow) {
    return mayCut ? { ...measured, ...cut(before, 0.75) } : { ...before, ...measured, sinceCut }
  }
  return { ...measured, allowed: Math.min(limits.max, before.allowed + 1 / before.allowed), sinceCut }
}

function cut({ allowed }: Parallelism, by: number): Pick<Parallelism, 'allowed' | 'sinceCut'> {
  return { allowed: Math.max(1, allowed * by), sinceCut: 0 }
}
