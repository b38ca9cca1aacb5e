/** What became of the objects of one pass. */
export interface Tally {
  /** Rewritten by us: their resourceVersion moved. */
  readonly migrated: number
  /** Found in the target's encoding. */
  readonly alreadyCurrent: number
  /** Written by somebody else after we had listed them. */
  readonly overtaken: number
  /** Deleted meanwhile. */
  readonly gone: number
  readonly quarantined: number
  /** Tried on trial and let through; whether it would have been rewritten cannot be seen from outside. */
  readonly rehearsed: number
  /** Rewritten in a listing that had to begin anew. */
  readonly rewrittenBefore: number
}

export type Settlement = 'migrated' | 'alreadyCurrent' | 'overtaken' | 'gone' | 'quarantined' | 'rehearsed'

export const emptyTally: Tally = {
  migrated: 0,
  alreadyCurrent: 0,
  overtaken: 0,
  gone: 0,
  quarantined: 0,
  rehearsed: 0,
  rewrittenBefore: 0,
}

export function settledOf(tally: Tally): number {
  const { migrated, alreadyCurrent, overtaken, gone, quarantined, rehearsed } = tally
  return migrated + alreadyCurrent + overtaken + gone + quarantined + rehearsed
}

export function rewrittenIn({ migrated, rewrittenBefore }: Tally): number {
  return migrated + rewrittenBefore
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    migrated: a.migrated + b.migrated,
    alreadyCurrent: a.alreadyCurrent + b.alreadyCurrent,
    overtaken: a.overtaken + b.overtaken,
    gone: a.gone + b.gone,
    quarantined: a.quarantined + b.quarantined,
    rehearsed: a.rehearsed + b.rehearsed,
    rewrittenBefore: a.rewrittenBefore + b.rewrittenBefore,
  }
}

/** What is counted by those who read the listing from its start again. */
export function begunAnew(tally: Tally): Tally {
  return { ...emptyTally, rewrittenBefore: rewrittenIn(tally) }
}
