import type { MigrationGroup } from '@strata/insight'

/** A group and version in which the cluster serves migrations. */
export interface MigrationHome {
  readonly group: MigrationGroup
  readonly versionName: string
}
