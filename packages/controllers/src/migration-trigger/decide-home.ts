import type { DiscoveredResource } from '@strata/client'
import type { MigrationHome } from './migration-home.ts'

/**
 * The groups in which migrations may exist. The trigger creates them in the first one: kube-storage-version-migrator's kind if
 * the cluster has it, else upstream's own.
 */
export function decideHomes(served: readonly DiscoveredResource[]): readonly MigrationHome[] {
  return (['migration.k8s.io', 'storagemigration.k8s.io'] as const).flatMap((group) => {
    // Kubernetes 1.34 and before serve `storagemigration.k8s.io/v1alpha1` with another schema.
    const found = served.find(
      (each) =>
        each.group === group &&
        each.resource === 'storageversionmigrations' &&
        (group === 'migration.k8s.io' || each.versionName !== 'v1alpha1'),
    )
    return found ? [{ group, versionName: found.versionName }] : []
  })
}
