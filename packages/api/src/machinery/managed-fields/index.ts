export { appliedProblems } from './applied-problems.ts'
export { type ApplyConflict, applyConflictError } from './apply-conflict.ts'
export { type Application, type Applied, applyObject } from './apply-object.ts'
export { blankObject } from './blank-object.ts'
export { compareObjects } from './compare-objects.ts'
export type { Comparison } from './comparison.ts'
export { fieldManagerErrors, fieldManagerName } from './field-manager-name.ts'
export {
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldSetDifference,
  fieldSetHas,
  fieldSetOf,
  fieldSetOutside,
  fieldSetPaths,
  fieldSetsEqual,
  intersectFieldSets,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
export { fieldsV1Of, parseFieldsV1 } from './fields-v1.ts'
export {
  type Managed,
  type ManagedByKey,
  type ManagedFieldsEntry,
  type ManagedOperation,
  type ManagerId,
  managerKey,
  readManagedFields,
  withSet,
  writeManagedFields,
} from './managed-entry.ts'
export {
  FieldsV1Malformed,
  fieldElement,
  keyElement,
  type PathElement,
  valueElement,
} from './path-element.ts'
export { sameButForManagedTimes } from './same-but-for-times.ts'
export { parentFieldsOf, type ReplicasPath, scaleFieldsOf } from './scale-fields.ts'
export { setOfObject } from './set-of-object.ts'
export { type ManagedFieldsUpdate, updateManagedFields } from './update-managed-fields.ts'
export type { VersionedChange } from './version-changes.ts'
