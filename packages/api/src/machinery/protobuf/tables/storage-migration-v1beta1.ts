/** The messages of `storagemigration.k8s.io/v1beta1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const storageMigrationV1Beta1 = `
StorageVersionMigration: 1 metadata meta.ObjectMeta, 2 spec StorageVersionMigrationSpec,
  3 status StorageVersionMigrationStatus
StorageVersionMigrationSpec: 1 resource meta.GroupResource
StorageVersionMigrationStatus: 1 conditions [meta.Condition], 2 resourceVersion string
`
