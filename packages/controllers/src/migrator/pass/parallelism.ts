export interface Parallelism {
  /** How many requests may be under way, with the fraction that is not yet a whole one. */
  readonly allowed: number
  /** Answers since the last cut: what was under way then says nothing about the time after it. */
  readonly sinceCut: number
  /** Answers since the last judgement. */
  readonly answers: number
  readonly totalMs: number
  /** The average time of an answer without contention. */
  readonly lowWaterMs: number | undefined
  /** The last judgement: they take longer than they need to. */
  readonly isSlow: boolean
}

export interface ParallelismLimits {
  readonly start: number
  readonly max: number
  /** Answers that take less than this above the low-water mark are never slow. */
  readonly slackMs: number
}

export const parallelismLimits: ParallelismLimits = { start: 4, max: 64, slackMs: 20 }

export function startParallelism({ start, max }: ParallelismLimits = parallelismLimits): Parallelism {
  const allowed = Math.max(1, Math.min(start, max))
  return { allowed, sinceCut: allowed, answers: 0, totalMs: 0, lowWaterMs: undefined, isSlow: false }
}

export type Answered =
  | { readonly kind: 'fine'; readonly latencyMs: number }
  /** 429, 503, or a wish to be left alone for a while. */
  | { readonly kind: 'congested' }

/** Enough of them that one late answer does not look like a slow server. */
const judgedTogether = 50
/** The mark rises with every judgement, so that a server which has become slower for good is found normal again. */
const forgetting = 1.02

/**
 * One more for each round that went well, half of it when the server pushes back, less when answers take twice as long as
 * they need to: the migration takes what others leave. Slow answers alone never bring it below where it starts: a server
 * that is slow for everybody does not become quicker by that.
 */
export function adaptParallelism(
  before: Parallelism,
  answered: Answered,
  limits: ParallelismLimits = parallelismLimits,
): Parallelism {
  const sinceCut = before.sinceCut + 1
  if (answered.kind === 'congested') {
    if (sinceCut <= before.allowed) return { ...before, sinceCut }
    return { ...before, allowed: Math.max(1, before.allowed / 2), sinceCut: 0 }
  }
  const more = before.isSlow && before.allowed >= limits.start ? 0 : 1 / before.allowed
  const now = {
    ...before,
    sinceCut,
    allowed: Math.min(limits.max, before.allowed + more),
    answers: before.answers + 1,
    totalMs: before.totalMs + answered.latencyMs,
  }
  return now.answers < Math.max(judgedTogether, 2 * now.allowed) ? now : judged(now, limits)
}

function judged(now: Parallelism, { start, slackMs }: ParallelismLimits): Parallelism {
  const meanMs = now.totalMs / now.answers
  const lowWaterMs = now.lowWaterMs === undefined ? meanMs : Math.min(meanMs, now.lowWaterMs * forgetting)
  const isSlow = meanMs > Math.max(2 * lowWaterMs, lowWaterMs + slackMs)
  const floor = Math.min(now.allowed, start)
  const allowed = isSlow ? Math.max(floor, now.allowed * 0.75) : now.allowed
  return { ...now, allowed, lowWaterMs, isSlow, answers: 0, totalMs: 0 }
}
