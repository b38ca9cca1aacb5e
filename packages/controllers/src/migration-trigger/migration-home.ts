/** Where migrations are: a group that the cluster serves, in one of its versions. */
export interface MigrationHome {
  readonly group: 'migration.k8s.io' | 'storagemigration.k8s.io'
  readonly versionName: string
}
