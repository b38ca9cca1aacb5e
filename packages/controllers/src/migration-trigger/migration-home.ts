import type { MigrationGroup } from '../migration-object/index.ts'

/** A group and version in which the cluster serves migrations. */
export interface MigrationHome {
  readonly group: MigrationGroup
  readonly versionName: string
}
