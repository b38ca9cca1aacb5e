import type { ObservedMigration } from './observed-migration.ts'
import type { Acceptance } from './trigger-options.ts'

/**
 * Whether a migration is reason enough to forget the hashes that were persisted before. Never after a failure. Upstream's
 * migrator stores no proof: its success counts only if the user accepts that.
 */
export function isAccepted({ phase, result, accepted }: ObservedMigration, accept: Acceptance): boolean {
  if (phase !== 'succeeded') return false
  if (result === 'Proven') return true
  if (accept === 'succeeded' || accepted === 'unknown') return true
  return result === 'ObservedClean' && (accept === 'observed-clean' || accepted === 'observed clean')
}

/**
 * The proof that a new migration accepts for pruning the storedVersions of a CRD. Never `Unknown`: a wrong StorageState can be
 * created again, but no server reads an object in a version that its CRD has lost.
 */
export const acceptanceWords: Readonly<Record<Acceptance, string | undefined>> = {
  proven: undefined,
  'observed-clean': 'ObservedClean',
  succeeded: 'ObservedClean',
}
