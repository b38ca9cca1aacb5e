import type { GroupResource } from '@strata/api'
import { endOf, inTurn, targetOfStatus } from '@strata/controllers'
import { failureOf, type MigrationView, objectName } from '@strata/insight'
import type { PastMigration } from '../evidence/decide-evidence.ts'
import type { RecordState } from './record.ts'

/**
 * The order in which a command takes migrations: those with a claim, then those that are not paused, then the paused
 * ones, each in the runner's order. Cancelled ones come last.
 */
export function byUrgency(a: MigrationView, b: MigrationView): number {
  const rank = ({ isCancelled, claim, isPaused }: MigrationView): number =>
    isCancelled ? 3 : claim ? 0 : isPaused ? 2 : 1
  return rank(a) - rank(b) || inTurn(a, b)
}

export function stateOf(view: MigrationView): RecordState {
  const { uid, resourceVersion, claim, isForeign, isPaused, isCancelled, progress } = view
  return {
    ...{ where: objectName(view), id: uid, mark: resourceVersion },
    ...{ claim, isForeign, isPaused, isCancelled, progress },
    failure: failureOf(view.annotations),
    end: endOf(view),
    waitingFor: progress.waitingFor,
  }
}

export function pastOf(view: MigrationView, resource: GroupResource): readonly PastMigration[] {
  const end = endOf(view)
  if (end === undefined) return []
  const { quarantined = 0 } = view.progress
  const { at, proof, outcome } = end
  const target = targetOfStatus(resource, view.progress)
  const succeeded = outcome === 'succeeded'
  return [{ where: objectName(view), succeeded, proof, quarantined, target, at }]
}
