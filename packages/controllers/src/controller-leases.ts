import { triggerLeaseName } from '@strata/insight'

/** The leader election Leases. One process leads each of them; this one covers all controllers without a Lease of their own. */
export const controllersLeaseName = 'strata-controllers'
/** Among API servers: the leader collects the Leases and entries of servers that are gone. */
export const agreementCollectorsLeaseName = 'strata-agreement-collectors'
/** Among aggregated API servers, in their own store: the leader mirrors Leases and storage versions into the aggregator. */
export const originMirrorLeaseName = 'strata-aggregated-mirror'
export const migratorLeaseName = 'strata-storage-version-migrator'

const ownLeases: Readonly<Record<string, string>> = {
  'storage-version-migration-trigger': triggerLeaseName,
  'storage-version-migrator': migratorLeaseName,
}

/**
 * Groups controllers by their Lease. A leader must run every controller of its Lease, and not every process runs all of them.
 * Otherwise: reporters run the trigger beside each server, and a deployment runs trigger and migrator. A reporter takes the
 * one Lease, and the migrator waits for it for ever. All other controllers run together, so they share a Lease.
 */
export function byLease<T extends string>(controllers: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(controllers, (name) => ownLeases[name] ?? controllersLeaseName)
}
