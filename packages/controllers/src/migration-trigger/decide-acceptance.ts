import type { ObservedMigration } from './observed-migration.ts'
import type { Acceptance } from './trigger-options.ts'

/**
 * Whether a migration is reason enough to forget what was persisted before. Never after a failure. A migrator that says
 * nothing about itself, as upstream's, has succeeded and no more: whoever wants to rely on that has to say so.
 */
export function isAccepted({ phase, result, accepted }: ObservedMigration, accept: Acceptance): boolean {
  if (phase !== 'succeeded') return false
  if (result === 'Proven') return true
  if (accept === 'succeeded' || accepted === 'unknown') return true
  return result === 'ObservedClean' && (accept === 'observed-clean' || accepted === 'observed clean')
}

/**
 * What stands on a migration for whoever cuts down the stored versions of a definition. Never that anything will do: a
 * StorageState that was wrong is made anew, and an object in a version that a definition has lost is read by nobody.
 */
export const acceptanceWords: Readonly<Record<Acceptance, string | undefined>> = {
  proven: undefined,
  'observed-clean': 'ObservedClean',
  succeeded: 'ObservedClean',
}
