export interface Parallelism {
  /** How many requests may be under way, with the fraction that is not yet a whole one. */
  readonly allowed: number
  /** Answers since the last cut. Requests that were under way at the cut say nothing about the time after it. */
  readonly sinceCut: number
  /** Answers since the last judgement. */
  readonly answers: number
  readonly totalMs: number
  /** The average time of an answer without contention. */
  readonly lowWaterMs: number | undefined
  /** The last judgement: answers take longer than without contention. */
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
  /** The server throttles, asks to wait, or is unavailable. */
  | { readonly kind: 'congested' }

/** Enough answers that one late answer does not look like a slow server. */
const judgedTogether = 50
/** The low-water mark rises with every judgement, so that a server that has become slower for good counts as normal again. */
const forgetting = 1.02

/**
 * Adapts the pace of a migration to what other clients leave. Adds one request per successful round, halves them when the
 * server pushes back, and removes a quarter when answers take twice as long as without contention. Slow answers alone never
 * reduce it below its start: that would not make a server faster that is slow for every client.
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
