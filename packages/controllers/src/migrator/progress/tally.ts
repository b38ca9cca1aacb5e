/** The outcomes of the objects of one pass. */
export interface Tally {
  /** Rewritten by us: their resourceVersion moved. */
  readonly migrated: number
  /** Found in the target's encoding. */
  readonly alreadyCurrent: number
  /** Written by another client after we had listed them. */
  readonly overtaken: number
  /** Deleted meanwhile. */
  readonly gone: number
  /** Found in the target's encoding, or rewritten by us: it is unknown which. */
  readonly perhapsRewritten: number
  readonly quarantined: number
  /** Accepted in a dry run, which does not show whether the object would have been rewritten. */
  readonly rehearsed: number
  /** Rewritten before the listing started again or was resumed, and not visited again yet. */
  readonly rewrittenBefore: number
}

export type Settlement =
  | 'migrated'
  | 'alreadyCurrent'
  | 'overtaken'
  | 'gone'
  | 'perhapsRewritten'
  | 'quarantined'
  | 'rehearsed'

export const emptyTally: Tally = {
  migrated: 0,
  alreadyCurrent: 0,
  overtaken: 0,
  gone: 0,
  perhapsRewritten: 0,
  quarantined: 0,
  rehearsed: 0,
  rewrittenBefore: 0,
}

export function settledOf(tally: Tally): number {
  const { migrated, alreadyCurrent, overtaken, gone, perhapsRewritten, quarantined, rehearsed } = tally
  return migrated + alreadyCurrent + overtaken + gone + perhapsRewritten + quarantined + rehearsed
}

/**
 * A pass is clean only if this is 0. Objects that we may have rewritten count too. Otherwise: a server that lags stores one
 * object in v1; the second pass rewrites it, and the answer is lost; the retry finds the object current. So the pass seems clean,
 * v1 is pruned, and that server goes on storing v1.
 */
export function rewrittenIn({ migrated, perhapsRewritten, rewrittenBefore }: Tally): number {
  return migrated + perhapsRewritten + rewrittenBefore
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    migrated: a.migrated + b.migrated,
    alreadyCurrent: a.alreadyCurrent + b.alreadyCurrent,
    overtaken: a.overtaken + b.overtaken,
    gone: a.gone + b.gone,
    perhapsRewritten: a.perhapsRewritten + b.perhapsRewritten,
    quarantined: a.quarantined + b.quarantined,
    rehearsed: a.rehearsed + b.rehearsed,
    rewrittenBefore: a.rewrittenBefore + b.rewrittenBefore,
  }
}

/** The tally of a pass whose listing starts again. */
export function begunAnew(tally: Tally): Tally {
  return { ...emptyTally, rewrittenBefore: rewrittenIn(tally) }
}
