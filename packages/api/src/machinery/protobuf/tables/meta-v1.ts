/** The messages of `meta.k8s.io/v1`: upstream's field numbers. How to read it: `../message-table.ts`. */
export const metaV1 = `
APIGroup: 1 name string!, 2 versions [GroupVersionForDiscovery], 3 preferredVersion GroupVersionForDiscovery,
  4 serverAddressByClientCIDRs [ServerAddressByClientCIDR]
APIResource: 1 name string!, 6 singularName string!, 2 namespaced bool!, 8 group string, 9 version string,
  3 kind string!, 4 verbs Verbs, 5 shortNames [string], 7 categories [string], 10 storageVersionHash string
APIResourceList: 1 groupVersion string!, 2 resources [APIResource]
Condition: 1 type string!, 2 status string!, 3 observedGeneration int64, 4 lastTransitionTime time,
  5 reason string!, 6 message string!
CreateOptions: 1 dryRun [string], 3 fieldManager string, 4 fieldValidation string
DeleteOptions: 1 gracePeriodSeconds int64?, 2 preconditions Preconditions, 3 orphanDependents bool?,
  4 propagationPolicy string?, 5 dryRun [string], 6 ignoreStoreReadErrorWithClusterBreakingPotential bool?
FieldSelectorRequirement: 1 key string!, 2 operator string!, 3 values [string]
GroupResource: 1 group string!, 2 resource string!
GroupVersionForDiscovery: 1 groupVersion string!, 2 version string!
LabelSelector: 1 matchLabels {string}, 2 matchExpressions [LabelSelectorRequirement]
LabelSelectorRequirement: 1 key string!, 2 operator string!, 3 values [string]
ListMeta: 1 selfLink string, 2 resourceVersion string, 3 continue string, 4 remainingItemCount int64?,
  5 shardInfo ShardInfo
ManagedFieldsEntry: 1 manager string, 2 operation string, 3 apiVersion string, 4 time time?,
  6 fieldsType string, 7 fieldsV1 fieldsV1, 8 subresource string
ObjectMeta: 1 name string, 2 generateName string, 3 namespace string, 4 selfLink string, 5 uid string,
  6 resourceVersion string, 7 generation int64, 8 creationTimestamp time, 9 deletionTimestamp time?,
  10 deletionGracePeriodSeconds int64?, 11 labels {string}, 12 annotations {string},
  13 ownerReferences [OwnerReference], 14 finalizers [string], 17 managedFields [ManagedFieldsEntry]
OwnerReference: 5 apiVersion string!, 1 kind string!, 3 name string!, 4 uid string!, 6 controller bool?,
  7 blockOwnerDeletion bool?
PartialObjectMetadata: 1 metadata ObjectMeta
PatchOptions: 1 dryRun [string], 2 force bool?, 3 fieldManager string, 4 fieldValidation string
Preconditions: 1 uid string?, 2 resourceVersion string?
ServerAddressByClientCIDR: 1 clientCIDR string!, 2 serverAddress string!
ShardInfo: 1 selector string!
Status: 1 metadata ListMeta, 2 status string, 3 message string, 4 reason string, 5 details StatusDetails,
  6 code int32
StatusCause: 1 reason string, 2 message string, 3 field string
StatusDetails: 1 name string, 2 group string, 3 kind string, 6 uid string, 4 causes [StatusCause],
  5 retryAfterSeconds int32
UpdateOptions: 1 dryRun [string], 2 fieldManager string, 3 fieldValidation string
Verbs |: 1 items [string]
`
