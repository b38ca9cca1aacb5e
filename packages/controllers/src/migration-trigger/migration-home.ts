import type { MigrationGroup } from '../migration-object/index.ts'

/** Where migrations are: a group that the cluster serves, in one of its versions. */
export interface MigrationHome {
  readonly group: MigrationGroup
  readonly versionName: string
}
