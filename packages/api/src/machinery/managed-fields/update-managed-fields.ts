import type { ApiObject } from '../../meta/object.ts'
import { isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { capUpdateEntries } from './cap-update-entries.ts'
import { compareObjects } from './compare-objects.ts'
import {
  emptyFieldSet,
  type FieldSet,
  fieldSetDifference,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
import { identityFields } from './identity-fields.ts'
import {
  type ManagedByKey,
  type ManagedFieldsEntry,
  managerKey,
  readManagedFields,
  withSet,
  writeManagedFields,
} from './managed-entry.ts'
import { type Change, changeOf, changesByVersion, type VersionedChange } from './version-changes.ts'

export interface ManagedFieldsUpdate {
  /** The stored object; undefined on create. In `apiVersion`. */
  readonly stored: ApiObject | undefined
  /**
   * The object that the client wants, with defaults and patches applied, but before the strategy's
   * hooks: fields that the hooks set have no owner. In `apiVersion`.
   */
  readonly next: ApiObject
  /** What an object of this kind has before anything is set (see `blankObject`). Custom resources: nothing. */
  readonly blank?: JsonObject | undefined
  readonly schema: Schema
  readonly apiVersion: string
  readonly manager: string
  readonly subresource?: string | undefined
  /** RFC 3339, in whole seconds. */
  readonly time: string
  /** Paths that this endpoint resets to the stored value, such as `status` in the main one: no manager owns them. */
  readonly resetFields?: FieldSet | undefined
  /** The change in a version that other managers wrote in; `undefined` for a version that is no more. */
  readonly inVersion: (apiVersion: string) => VersionedChange | undefined
}

/**
 * The managedFields of an object that was created, updated or patched (but not applied). Fields that the write set
 * or changed belong to its manager alone; removed fields have no owner. The time
 * of an entry is that of its manager's last change. `undefined` means that the object has no managedFields.
 * If nothing changed, the answer is the stored list itself.
 */
export function updateManagedFields(update: ManagedFieldsUpdate): readonly ManagedFieldsEntry[] | undefined {
  const { stored, next, subresource, resetFields } = update
  const recorded = managedFieldsOf(stored)
  const taken = subresource ? undefined : takeFromClient(managedFieldsOf(next), recorded)
  const ignored = resetFields ? unionFieldSets(identityFields, resetFields) : identityFields
  const before: JsonObject = stored ?? { metadata: {}, ...update.blank }
  const comparison = compareObjects(before, next, update.schema, ignored)
  if (comparison === undefined && taken === undefined) return recorded

  const managers: ManagedByKey = taken ?? readManagedFields(recorded) ?? new Map()
  // To begin in the middle would be to call one manager the owner of nothing but its last change, while the
  // rest has no owner. Upstream waits for the first apply, which makes an entry for all that was before.
  if (stored && managers.size === 0) return undefined
  const change = changeOf(comparison)
  disown(managers, changesByVersion(update.apiVersion, change, ignored, update.inVersion))
  own(managers, update, change.taken)
  capUpdateEntries(managers)
  return writeManagedFields(managers)
}

export function managedFieldsOf(
  object: { readonly metadata?: unknown } | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  const metadata = object?.metadata
  const managedFields = isJsonObject(metadata) ? metadata['managedFields'] : undefined
  return Array.isArray(managedFields) ? managedFields : undefined
}

/**
 * The list a client sent, where it replaces the recorded one. Clients that know nothing of managedFields
 * leave it out or send something unreadable, and must not destroy it so; an empty list, or one with a single
 * empty entry, is how a client says that it wants to.
 */
function takeFromClient(
  sent: readonly ManagedFieldsEntry[] | undefined,
  recorded: readonly ManagedFieldsEntry[] | undefined,
): ManagedByKey | undefined {
  if (sent === undefined || (recorded && jsonEqual(sent, recorded))) return undefined
  if (sent.length === 0 || (sent.length === 1 && isBlankEntry(sent[0]))) return new Map()
  return readManagedFields(sent)
}

const isBlankEntry = (entry: unknown): boolean =>
  isJsonObject(entry) && Object.values(entry).every((value) => value === null || value === '')

function disown(managers: ManagedByKey, changeIn: (apiVersion: string) => Change | undefined): void {
  for (const [key, managed] of managers) {
    const change = changeIn(managed.apiVersion)
    const rest = change
      ? fieldSetDifference(fieldSetDifference(managed.set, change.taken), change.removed)
      : emptyFieldSet
    if (isFieldSetEmpty(rest)) managers.delete(key)
    else if (rest !== managed.set) managers.set(key, withSet(managed, rest))
  }
}

function own(managers: ManagedByKey, update: ManagedFieldsUpdate, taken: FieldSet): void {
  if (isFieldSetEmpty(taken)) return
  const { manager, apiVersion, subresource = '', time } = update
  const id = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
  } as const
  const key = managerKey(id)
  const previous = managers.get(key)
  managers.set(key, { ...id, time, set: previous ? unionFieldSets(previous.set, taken) : taken })
}
