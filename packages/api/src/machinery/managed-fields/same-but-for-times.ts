import type { ApiObject } from '../../meta/object.ts'
import { isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'

/**
 * Whether two objects are the same but for the times in their managedFields. Such a write changes nothing:
 * webhooks have reverted what the client changed, and only the time of the attempt is left.
 */
export function sameButForManagedTimes(before: ApiObject, after: ApiObject): boolean {
  if (!jsonEqual(withoutTimes(before.metadata), withoutTimes(after.metadata))) return false
  return jsonEqual({ ...before, metadata: undefined }, { ...after, metadata: undefined })
}

function withoutTimes(metadata: object): JsonObject {
  const { managedFields, ...rest } = metadata as JsonObject
  if (!Array.isArray(managedFields)) return { ...rest, managedFields }
  return {
    ...rest,
    managedFields: managedFields.map((entry: unknown) =>
      isJsonObject(entry) ? { ...entry, time: undefined } : entry,
    ),
  }
}
