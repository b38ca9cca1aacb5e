import { type MigrationTarget, sameTarget } from '../target/target.ts'
import { emptyLedger, type LedgerState } from './ledger.ts'
import { rewrittenIn, type Tally } from './tally.ts'

/** Where a migration resumes after a crash. Plain data. */
export interface ResumePoint {
  readonly target: MigrationTarget
  /** Of the passes before this one. */
  readonly finished: readonly Tally[]
  /** Of this pass. */
  readonly ledger: LedgerState
  readonly total?: number
  /** Servers rewrote some objects in batches: only a census or another pass can prove the result. */
  readonly byServers?: true
}

const startOf = (target: MigrationTarget): ResumePoint => ({
  target,
  finished: [],
  ledger: emptyLedger,
})

/**
 * Where to resume for this target. Work for another target proves nothing about this one, so the migration starts again.
 */
export function decideResume(target: MigrationTarget, saved: ResumePoint | undefined): ResumePoint {
  if (saved === undefined || !sameTarget(saved.target, target).same) return startOf(target)
  // What was read first is kept: a weaker moment of the same epoch must not take its place.
  return target.fenced ? saved : withoutVerifying(saved)
}

/**
 * Nobody has watched while the migration stood still. Paused in the second pass, an object behind its place is written in
 * another encoding by a server that comes and goes; gone on with, the rest is clean and that object was never looked at.
 * What the first pass did needs no such care: the second goes over everything.
 */
function withoutVerifying({ finished, ledger, ...saved }: ResumePoint): ResumePoint {
  const [first, ...others] = finished
  if (first === undefined) return { ...saved, finished, ledger }
  const rewritten = [...others, ledger.tally].reduce((sum, each) => sum + rewrittenIn(each), 0)
  const kept = { ...first, rewrittenBefore: first.rewrittenBefore + rewritten }
  return { ...saved, finished: [kept], ledger: emptyLedger }
}

export function isBegun({ finished, ledger }: ResumePoint): boolean {
  return finished.length > 0 || ledger.continueToken !== undefined || ledger.isComplete === true
}
