import type { DiscoveredResource } from '@strata/client'
import type { MigrationHome } from './new-migration.ts'

/** Where migrations are asked for: kube-storage-version-migrator's kind if the cluster has it, else upstream's own. */
export function decideHome(served: readonly DiscoveredResource[]): MigrationHome | undefined {
  for (const group of ['migration.k8s.io', 'storagemigration.k8s.io'] as const) {
    // Those of 1.34 and before have another shape.
    const found = served.find(
      (each) =>
        each.group === group &&
        each.resource === 'storageversionmigrations' &&
        (group === 'migration.k8s.io' || each.versionName !== 'v1alpha1'),
    )
    if (found) return { group, versionName: found.versionName }
  }
  return undefined
}
