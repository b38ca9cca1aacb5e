import type { DiscoveredResource } from '@strata/client'
import type { MigrationHome } from './migration-home.ts'

/**
 * Where there may be migrations. They are asked for in the first of them: kube-storage-version-migrator's kind if the cluster
 * has it, else upstream's own.
 */
export function decideHomes(served: readonly DiscoveredResource[]): readonly MigrationHome[] {
  return (['migration.k8s.io', 'storagemigration.k8s.io'] as const).flatMap((group) => {
    // Those of 1.34 and before have another shape.
    const found = served.find(
      (each) =>
        each.group === group &&
        each.resource === 'storageversionmigrations' &&
        (group === 'migration.k8s.io' || each.versionName !== 'v1alpha1'),
    )
    return found ? [{ group, versionName: found.versionName }] : []
  })
}
