/** The messages of `internal.apiserver.k8s.io/v1alpha1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const apiserverInternalV1Alpha1 = `
ServerStorageVersion: 1 apiServerID string, 2 encodingVersion string, 3 decodableVersions [string],
  4 servedVersions [string]
StorageVersion: 1 metadata meta.ObjectMeta, 2 spec StorageVersionSpec, 3 status StorageVersionStatus
StorageVersionCondition: 1 type string!, 2 status string!, 3 observedGeneration int64,
  4 lastTransitionTime time, 5 reason string!, 6 message string
StorageVersionSpec:
StorageVersionStatus: 1 storageVersions [ServerStorageVersion], 2 commonEncodingVersion string?,
  3 conditions [StorageVersionCondition]
`
