import { type MigrationTarget, sameTarget } from '@strata/controllers'
import type { PastMigration } from '../evidence/decide-evidence.ts'

/**
 * Whether a migration on record has waited for this very state of the CRD, so that another one need not wait again: generations
 * only grow, so the CRD has not changed since. Only one that visited all objects counts, because it has certainly waited. A hash
 * does not show whether it has changed and come back, and a StorageVersion only shows the servers that it knows.
 */
export function hasStoodBefore(past: readonly PastMigration[], target: MigrationTarget): boolean {
  if (target.how !== 'definition') return false
  return past.some(({ succeeded, quarantined, ...each }) => {
    const isWhole = succeeded || quarantined > 0
    return isWhole && each.target !== undefined && sameTarget(each.target, target).same
  })
}
