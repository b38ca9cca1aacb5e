import { isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import type { ApplyConflict } from './apply-conflict.ts'
import { compareObjects } from './compare-objects.ts'
import {
  emptyFieldSet,
  type FieldSet,
  fieldSetDifference,
  fieldSetOutside,
  fieldSetsEqual,
  intersectFieldSets,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
import { identityFields, unownable } from './identity-fields.ts'
import { lastAppliedSet, withLastApplied } from './last-applied.ts'
import {
  type Managed,
  type ManagedByKey,
  type ManagedFieldsEntry,
  managerKey,
  readManagedFields,
  withSet,
  writeManagedFields,
} from './managed-entry.ts'
import { mergeObjects } from './merge-objects.ts'
import { pruneApplied, type Versions } from './prune-applied.ts'
import { reconcileFieldSet } from './reconcile-field-set.ts'
import { setOfObject } from './set-of-object.ts'
import { managedFieldsOf, updateManagedFields } from './update-managed-fields.ts'
import { changeOf, changesByVersion } from './version-changes.ts'

/** The fields that a manager applies. */
export interface Application extends Versions {
  /** The stored object, in `apiVersion`; undefined if it is created. */
  readonly live: JsonObject | undefined
  readonly applied: JsonObject
  /** What an object of this kind has before anything is set (see `blankObject`). Custom resources: nothing. */
  readonly blank?: JsonObject | undefined
  readonly schema: Schema
  readonly apiVersion: string
  readonly manager: string
  readonly subresource?: string | undefined
  /** RFC 3339, in whole seconds. */
  readonly time: string
  /** Takes over fields that other managers own with another value. */
  readonly force: boolean
  /** Paths that this endpoint resets to the stored value: no manager owns them. */
  readonly resetFields?: FieldSet | undefined
}

export type Applied =
  | {
      readonly outcome: 'applied'
      /** The object to store, without managedFields and before defaults. */
      readonly object: JsonObject
      readonly managedFields: readonly ManagedFieldsEntry[] | undefined
    }
  | { readonly outcome: 'conflicts'; readonly conflicts: readonly ApplyConflict[] }

/**
 * Server-side apply. All that is applied belongs to the applier afterwards, with others where they want the same; what
 * it applied before and does not any more goes, unless others own it. What others own and have set to something else
 * is a conflict, unless forced.
 */
export function applyObject(application: Application): Applied {
  const outcome = applyOnce(application)
  // kubectl's server-side apply takes over the fields of its client-side apply: those are no conflict.
  return application.manager === 'kubectl' ? applyAfterClientSide(application, outcome) : outcome
}

function applyAfterClientSide(application: Application, first: Applied): Applied {
  const { live, schema, apiVersion, applied } = application
  let outcome = first
  if (outcome.outcome === 'conflicts') {
    const own = lastAppliedSet(live, schema, apiVersion)
    if (own === undefined) return outcome
    const conflicts = outcome.conflicts
      .map(({ manager, set }) => ({ manager, set: fieldSetDifference(set, own) }))
      .filter(({ set }) => !isFieldSetEmpty(set))
    if (conflicts.length > 0) return { outcome: 'conflicts', conflicts }
    outcome = applyOnce({ ...application, force: true })
  }
  return outcome.outcome === 'applied'
    ? { ...outcome, object: withLastApplied(outcome.object, applied) }
    : outcome
}

function applyOnce(application: Application): Applied {
  const { applied, schema, apiVersion, manager, subresource = '', time, force, resetFields } = application
  const managers = currentManagers(application)
  const live = withoutManagedFields(application.live ?? { ...application.blank, metadata: {} })
  const claimed = fieldSetOutside(setOfObject(applied, schema), resetFields ?? emptyFieldSet)
  const claim: Managed = {
    manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: undefined,
    set: claimed,
  }
  const key = managerKey(claim)
  const last = managers.get(key)
  managers.set(key, claim)
  const merged = mergeObjects(live, applied, schema)
  const next = last ? pruneApplied(merged, claim, last, managers.values(), application) : merged
  managers.delete(key)
  const conflicts = takeFromOthers(managers, application, live, next)
  if (conflicts.length > 0 && !force) return { outcome: 'conflicts', conflicts }
  const isNoOp = application.live !== undefined && jsonEqual(live, next)
  own(managers, { ...claim, time: isNoOp ? last?.time : time }, last)
  return { outcome: 'applied', object: isNoOp ? live : next, managedFields: writeManagedFields(managers) }
}

/**
 * The owners before this apply. If an object has no recorded owners, all its fields belong to the manager `before-first-apply`:
 * otherwise the first applier would own only what it applies, and the rest would have no owner at all.
 */
function currentManagers(application: Application): ManagedByKey {
  const { live, schemaOf } = application
  const recorded = readManagedFields(managedFieldsOf(live)) ?? new Map()
  const managers = recorded.size === 0 && live ? beforeFirstApply(application, live) : recorded
  for (const [key, managed] of managers) {
    const schema = schemaOf(managed.apiVersion)
    if (!schema) {
      managers.delete(key)
      continue
    }
    const set = reconcileFieldSet(managed.set, schema)
    if (set !== managed.set) managers.set(key, withSet(managed, set))
  }
  return managers
}

function beforeFirstApply(application: Application, live: JsonObject): ManagedByKey {
  const entries = updateManagedFields({
    ...application,
    stored: undefined,
    next: withoutManagedFields(live) as { metadata: object },
    manager: 'before-first-apply',
    inVersion: () => undefined,
  })
  return readManagedFields(entries) ?? new Map()
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

/** Others lose what this apply changes. Where they have it as it was, that is a conflict. */
function takeFromOthers(
  managers: ManagedByKey,
  { schema, apiVersion, resetFields, convert, schemaOf }: Application,
  live: JsonObject,
  next: JsonObject,
): readonly ApplyConflict[] {
  const ignored = resetFields ? unionFieldSets(identityFields, resetFields) : identityFields
  const changeIn = changesByVersion(
    apiVersion,
    changeOf(compareObjects(live, next, schema, ignored)),
    ignored,
    (version) => {
      const before = convert(live, apiVersion, version)
      const after = convert(next, apiVersion, version)
      const there = schemaOf(version)
      return before && after && there && { before, after, schema: there }
    },
  )
  const conflicts: ApplyConflict[] = []
  for (const [key, managed] of managers) {
    const change = changeIn(managed.apiVersion)
    // Where the change cannot be seen in their version, they keep what they have.
    if (!change) continue
    const set = intersectFieldSets(managed.set, change.taken)
    if (!isFieldSetEmpty(set)) conflicts.push({ manager: managed, set })
    const rest = fieldSetDifference(fieldSetDifference(managed.set, set), change.removed)
    if (isFieldSetEmpty(rest)) managers.delete(key)
    else if (rest !== managed.set) managers.set(key, withSet(managed, rest))
  }
  return conflicts
}

function own(managers: ManagedByKey, claim: Managed, last: Managed | undefined): void {
  const set = fieldSetDifference(claim.set, unownable)
  if (isFieldSetEmpty(set)) return
  const isAsBefore =
    last?.apiVersion === claim.apiVersion && last.time === claim.time && fieldSetsEqual(last.set, set)
  managers.set(managerKey(claim), isAsBefore ? last : { ...claim, set })
}
