import type { JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { compareObjects } from './compare-objects.ts'
import type { Comparison } from './comparison.ts'
import { emptyFieldSet, type FieldSet, unionFieldSets } from './field-set.ts'

/** The same change as it looks in one version. */
export interface VersionedChange {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly schema: Schema
}

/** What a write did to the paths of one version. */
export interface Change {
  /** Set anew, or to something else. */
  readonly taken: FieldSet
  readonly removed: FieldSet
}

const noChange: Change = { taken: emptyFieldSet, removed: emptyFieldSet }

export const changeOf = (comparison: Comparison | undefined): Change =>
  comparison
    ? { taken: unionFieldSets(comparison.modified, comparison.added), removed: comparison.removed }
    : noChange

/** Other versions are converted and compared only where some manager wrote in them, and once. */
export function changesByVersion(
  apiVersion: string,
  change: Change,
  ignored: FieldSet,
  inVersion: (apiVersion: string) => VersionedChange | undefined,
): (apiVersion: string) => Change | undefined {
  const known = new Map<string, Change | undefined>([[apiVersion, change]])
  return (version) => {
    if (known.has(version)) return known.get(version)
    const seen = inVersion(version)
    const found = seen && changeOf(compareObjects(seen.before, seen.after, seen.schema, ignored))
    known.set(version, found)
    return found
  }
}
