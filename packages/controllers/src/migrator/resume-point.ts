import { emptyLedger, type LedgerState } from './ledger.ts'
import type { Tally } from './tally.ts'
import { type MigrationTarget, sameTarget } from './target.ts'

/** Where a migration goes on after a sudden end. Plain data. */
export interface ResumePoint {
  readonly target: MigrationTarget
  /** Of the passes before this one. */
  readonly finished: readonly Tally[]
  /** Of this pass. */
  readonly ledger: LedgerState
  readonly total?: number
}

const startOf = (target: MigrationTarget): ResumePoint => ({
  target,
  finished: [],
  ledger: emptyLedger,
})

/**
 * Where to go on, for this target. What was rewritten for another one proves nothing about this one, so that begins
 * anew.
 */
export function decideResume(target: MigrationTarget, saved: ResumePoint | undefined): ResumePoint {
  if (saved === undefined || !sameTarget(saved.target, target).same) return startOf(target)
  // What was read first is kept: a weaker moment of the same epoch must not take its place.
  return { ...saved, target: saved.target }
}

export function isBegun({ finished, ledger }: ResumePoint): boolean {
  return finished.length > 0 || ledger.continueToken !== undefined || ledger.isComplete === true
}
