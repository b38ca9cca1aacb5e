import { type ApiObject, carryUnknown, holdsUnknown, jsonEqual, prune } from '@strata/api'
import type { ServedResource } from '../served/served-api.ts'
import type { Current } from './write-object.ts'
import type { PlanOptions } from './write-options.ts'

/**
 * The stored object as the client sees it, in its version: a patch applies to this. A custom resource was pruned on decode, by
 * rules that also know the fields of embedded resources.
 */
export interface Shown {
  /** Shares parts with the stored object. */
  readonly document: ApiObject
  /** There are fields that this release does not know and so does not show. */
  readonly holdsUnknown: boolean
}

export function shownObject({ definition, codec, apiVersion }: ServedResource, { hub }: Current): Shown {
  const wire = codec.toWire(hub, apiVersion)
  if (definition.isCustom) return { document: wire, holdsUnknown: false }
  const schema = codec.schemaOf(apiVersion)
  const holds = holdsUnknown(wire, schema)
  return { document: holds ? (prune(wire, schema, () => {}) as ApiObject) : wire, holdsUnknown: holds }
}

/**
 * The object that a client wants, plus the stored fields that the client could not see (rule 16). Both are in the client's
 * version, and `next` already has the metadata that an update keeps.
 *
 * A client that replaces the whole object also replaces these fields. If nothing else changes, however, the write is a migration
 * and keeps them.
 */
export function keepUnknown(
  { definition, codec, apiVersion }: ServedResource,
  next: ApiObject,
  { hub, mayHoldUnknown }: Current,
  { replaces = false, holdsUnknown: holds = mayHoldUnknown }: PlanOptions,
): ApiObject {
  if (!holds || definition.isCustom) return next
  const stored = codec.toWire(hub, apiVersion)
  const carried = carryUnknown(stored, next, codec.schemaOf(apiVersion))
  return carried === next || !replaces || saysTheSame(carried, stored) ? carried : next
}

function saysTheSame(one: ApiObject, other: ApiObject): boolean {
  return jsonEqual(contentOf(one), contentOf(other))
}

/** The object without apiVersion, kind and volatile metadata. */
function contentOf({ apiVersion: _, kind: __, metadata, ...object }: ApiObject): ApiObject {
  const { resourceVersion: ___, managedFields: ____, ...kept } = metadata
  return { ...object, metadata: kept }
}
