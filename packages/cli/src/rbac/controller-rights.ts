import type { GrantedRight } from './granted-right.ts'

const migrationGroups = ['migration.k8s.io', 'storagemigration.k8s.io']

const each = (
  verbs: readonly string[],
  groups: readonly string[],
  resources: readonly string[],
): readonly GrantedRight[] =>
  groups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource }))))

/**
 * What the trigger and the migrator need to keep every resource of a cluster migrated. The chart grants the same. The other
 * controllers are those of a Strata fleet, which has roles of its own for them.
 */
export const controllerRights: readonly GrantedRight[] = [
  // Every stored object is read, and rewritten by an empty patch. Of these, nothing is created, and nothing is deleted.
  ...each(['get', 'list', 'watch', 'patch', 'update'], ['*'], ['*']),
  // Aggregated Strata servers count and rewrite their objects themselves.
  ...each(['create'], ['*'], ['storagecensuses', 'storagereencodes']),
  ...each(['create', 'delete'], migrationGroups, ['storagestates', 'storageversionmigrations']),
  ...each(['create'], ['apiextensions.k8s.io'], ['customresourcedefinitions']),
  ...each(['create'], [''], ['events']),
  // The Leases of the leader election.
  { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system' },
]
