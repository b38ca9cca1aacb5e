/**
 * The messages of `storagemigration.k8s.io/v1beta1` and `v1`, which are the same: upstream's field numbers. How to read it:
 * `../message-table.ts`.
 */
export const storageMigration = `
StorageVersionMigration: 1 metadata meta.ObjectMeta, 2 spec StorageVersionMigrationSpec,
  3 status StorageVersionMigrationStatus
StorageVersionMigrationSpec: 1 resource meta.GroupResource
StorageVersionMigrationStatus: 1 conditions [meta.Condition], 2 resourceVersion string
`
