/** By which one of several processes leads: those that keep the fleet tidy, the trigger of migrations, and their runner. */
export const controllersLeaseName = 'strata-controllers'
/** By which one of several API servers leads: it collects what servers that ended have left behind. */
export const agreementCollectorsLeaseName = 'strata-agreement-collectors'
export const triggerLeaseName = 'strata-storage-version-migration-trigger'
export const migratorLeaseName = 'strata-storage-version-migrator'

const ownLeases: Readonly<Record<string, string>> = {
  'storage-version-migration-trigger': triggerLeaseName,
  'storage-version-migrator': migratorLeaseName,
}

/**
 * Which controllers are led together. Not every process runs all of them, and who leads has to run what it leads. Otherwise:
 * reporters run the trigger beside each server, and a deployment runs trigger and migrator; a reporter takes the one Lease, and
 * the migrator waits for it for ever. The rest looks after a fleet, and whoever looks after one runs all of it.
 */
export function byLease<T extends string>(controllers: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(controllers, (name) => ownLeases[name] ?? controllersLeaseName)
}
