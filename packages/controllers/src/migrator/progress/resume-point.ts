import { type MigrationTarget, sameTarget } from '../target/target.ts'
import { emptyLedger, type LedgerState } from './ledger.ts'
import { rewrittenIn, type Tally } from './tally.ts'

/** Where a migration resumes after a crash. Plain data. */
export interface ResumePoint {
  readonly target: MigrationTarget
  /** One tally for each finished pass. */
  readonly finished: readonly Tally[]
  /** The state of the current pass. */
  readonly ledger: LedgerState
  readonly total?: number | undefined
  /** Servers rewrote some objects in batches: only a census or another pass can prove the result. */
  readonly byServers?: true | undefined
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
  // The saved target stays: a later read of the same epoch may be weaker.
  return target.fenced ? saved : withoutVerifying(saved)
}

/**
 * Starts the verifying pass again, because no process watched during the pause. Otherwise: (1) the migration is paused in
 * its second pass; (2) a server starts, writes an object behind the resume point in another encoding, and stops; (3) the
 * migration resumes, and the rest is clean: no pass has seen that object. The first pass is kept: the second one verifies it.
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
