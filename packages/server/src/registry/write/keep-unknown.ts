import { type ApiObject, carryUnknown, holdsUnknown, jsonEqual, prune } from '@strata/api'
import type { ServedResource } from '../served/served-api.ts'
import type { Current } from './write-object.ts'
import type { PlanOptions } from './write-options.ts'

/**
 * The stored object as a client sees it, in the version that it speaks: this is what it patches. A custom resource was
 * pruned when it was read, by rules of its own: in an embedded resource more is known than its schema says.
 */
export interface Shown {
  /** Shares parts with the stored object. */
  readonly document: ApiObject
  /** There are fields that this release does not know, and so does not show. */
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
 * What a client wants to stand, with what it could not see of the stored object (rule 16). Both are in the version that
 * the client speaks, and `next` has by now what an update keeps of the metadata.
 *
 * Whoever replaces the whole object replaces these fields too. If nothing else changes, though, that is how objects are
 * migrated, and no replacement.
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

/** Without what says nothing about the object itself. */
function contentOf({ apiVersion: _, kind: __, metadata, ...object }: ApiObject): ApiObject {
  const { resourceVersion: ___, managedFields: ____, ...kept } = metadata
  return { ...object, metadata: kept }
}
