import { fieldSetOf, unionFieldSets } from './field-set.ts'

/** What the system says about an object, and no manager can own. Upstream's list: `generateName` is not in it. */
export const identityFields = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
)

/** The same, and `metadata` itself: every applied object has it. */
export const unownable = unionFieldSets(identityFields, fieldSetOf(['f:metadata']))
