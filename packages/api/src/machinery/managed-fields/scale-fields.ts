import {
  type FieldPath,
  fieldSetDifference,
  fieldSetHas,
  fieldSetOf,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
import {
  type ManagedByKey,
  type ManagedFieldsEntry,
  managerKey,
  readManagedFields,
  withSet,
  writeManagedFields,
} from './managed-entry.ts'

const scaleVersion = 'autoscaling/v1'
const replicasInScale: FieldPath = ['f:spec', 'f:replicas']

/** The path of the replicas in a version; `undefined` for a version that has none, or no longer exists. */
export type ReplicasPath = (apiVersion: string) => FieldPath | undefined

/** The owners of an object's replicas, as managedFields of its Scale. */
export function scaleFieldsOf(
  parent: readonly ManagedFieldsEntry[] | undefined,
  replicasPath: ReplicasPath,
): readonly ManagedFieldsEntry[] | undefined {
  const scale: ManagedByKey = new Map()
  for (const managed of (readManagedFields(parent) ?? new Map()).values()) {
    const path = replicasPath(managed.apiVersion)
    if (!path || !fieldSetHas(managed.set, path)) continue
    const owner = { ...withSet(managed, fieldSetOf(replicasInScale)), apiVersion: scaleVersion }
    scale.set(managerKey(owner), owner)
  }
  return writeManagedFields(scale)
}

/**
 * The owners of an object whose Scale was written: the owners of the Scale's replicas own the object's, and no other manager
 * does. Upstream gives such entries no time, and clients compare.
 */
export function parentFieldsOf(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  replicasPath: ReplicasPath,
): readonly ManagedFieldsEntry[] | undefined {
  const owners: ManagedByKey = readManagedFields(scale) ?? new Map()
  const managers: ManagedByKey = readManagedFields(parent) ?? new Map()
  for (const [key, managed] of managers) {
    const path = replicasPath(managed.apiVersion)
    if (!path || !fieldSetHas(managed.set, path)) continue
    // An applier has one entry for all versions. It is an owner still, so its entry stays as it is.
    if (owners.delete(key)) continue
    const rest = fieldSetDifference(managed.set, fieldSetOf(path))
    if (isFieldSetEmpty(rest)) managers.delete(key)
    else managers.set(key, withSet(managed, rest))
  }
  const path = replicasPath(apiVersion)
  for (const managed of owners.values()) {
    if (!path || !fieldSetHas(managed.set, replicasInScale)) continue
    const owner = { ...withSet(managed, fieldSetOf(path)), apiVersion, time: undefined }
    const there = managers.get(managerKey(owner))
    managers.set(managerKey(owner), there ? withSet(there, unionFieldSets(there.set, owner.set)) : owner)
  }
  return writeManagedFields(managers)
}
