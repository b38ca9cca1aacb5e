import type { MigrationFailure } from '@strata/api'
import { conditionOf, type MigrationView } from '@strata/insight'
import { type Conclusion, type Outcome, proofOf } from '../migrator/index.ts'

/** How a migration ended. */
export type MigrationEnd = Pick<Conclusion, 'outcome' | 'proof' | 'because'>

const outcomes = { Incomplete: 'incomplete', Aborted: 'aborted', Failed: 'failed' } as const

/** The `status.failure` of a run that ended so. */
export function failureOfOutcome(outcome: Outcome): MigrationFailure {
  if (outcome === 'incomplete') return 'Incomplete'
  return outcome === 'aborted' || outcome === 'cancelled' ? 'Aborted' : 'Failed'
}

/** How the object says that its migration ended; undefined while it has not. */
export function endOf(
  view: Pick<MigrationView, 'conditions' | 'progress'>,
): (MigrationEnd & { readonly at?: string | undefined }) | undefined {
  const { failure, result, quarantined = 0 } = view.progress
  const failed = conditionOf(view, 'Failed')
  const condition = failed ?? conditionOf(view, 'Succeeded')
  if (condition === undefined) return undefined
  const at = (condition.lastUpdateTime ?? condition.lastTransitionTime) || undefined
  const shared = { because: condition.message ?? '', at }
  if (failed === undefined) return { outcome: 'succeeded', proof: proofOf(result), ...shared }
  // Other migrators, and releases before this field, do not say what kind of failure it was.
  const outcome = failure ? outcomes[failure] : quarantined > 0 ? 'incomplete' : 'failed'
  return { outcome, proof: 'unknown', ...shared }
}
