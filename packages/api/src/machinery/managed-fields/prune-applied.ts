import type { JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import {
  type FieldSet,
  fieldSetDifference,
  intersectFieldSets,
  isFieldSetEmpty,
  unionFieldSets,
} from './field-set.ts'
import type { Managed } from './managed-entry.ts'
import { withNamedFields } from './named-fields.ts'
import { removeItems } from './remove-items.ts'
import { setOfObject } from './set-of-object.ts'

/** Converts an object to other versions. */
export interface Versions {
  readonly schemaOf: (apiVersion: string) => Schema | undefined
  /** `undefined` if one of the versions no longer exists, or the object cannot be converted to it. */
  readonly convert: (object: JsonObject, from: string, to: string) => JsonObject | undefined
}

/** An object and the version it is in. */
interface Versioned {
  readonly object: JsonObject
  readonly apiVersion: string
}

/**
 * Removes what an applier no longer applies, unless another manager owns it: first everything that it owned is removed, then
 * what any manager owns is put back. If the version of `last` cannot be reached, nothing is removed, because it is unknown
 * what else would go with it. Owners in other versions that cannot be reached do not count. `merged` and `claim.apiVersion`
 * are the applier's own, `last` is what it owned before.
 */
export function pruneApplied(
  merged: JsonObject,
  claim: Managed,
  last: Managed,
  managers: Iterable<Managed>,
  versions: Versions,
): JsonObject {
  const { apiVersion } = last
  if (apiVersion === claim.apiVersion && isFieldSetEmpty(fieldSetDifference(last.set, claim.set)))
    return merged
  const schema = versions.schemaOf(apiVersion)
  const base = versions.convert(merged, claim.apiVersion, apiVersion)
  if (!schema || !base) return merged
  const owned = ownedByVersion(managers, apiVersion)
  const keepRequired = owned.size > 1 || apiVersion !== claim.apiVersion
  const lastNamed = withNamedFields(last.set, schema)
  const bare = { object: removeItems(base, lastNamed, schema, { keepRequired }), apiVersion }
  const pruned = putBackOwned({ object: base, apiVersion }, bare, owned, keepRequired, versions)
  const back = versions.convert(pruned.object, pruned.apiVersion, apiVersion)
  if (!back) return merged
  const missing = fieldSetDifference(namedSetOf(base, schema), namedSetOf(back, schema))
  const rest = removeItems(base, intersectFieldSets(missing, lastNamed), schema, { keepRequired })
  return versions.convert(rest, apiVersion, claim.apiVersion) ?? merged
}

/** All owned fields, by version; the given version first. */
function ownedByVersion(managers: Iterable<Managed>, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>()
  const all = Array.from(managers)
  for (const { apiVersion, set } of [...all.filter((each) => each.apiVersion === first), ...all]) {
    const before = owned.get(apiVersion)
    owned.set(apiVersion, before ? unionFieldSets(before, set) : set)
  }
  return owned
}

function putBackOwned(
  whole: Versioned,
  pruned: Versioned,
  owned: ReadonlyMap<string, FieldSet>,
  keepRequired: boolean,
  { schemaOf, convert }: Versions,
): Versioned {
  let [all, rest] = [whole, pruned]
  for (const [apiVersion, set] of owned) {
    const schema = schemaOf(apiVersion)
    const allThere = convert(all.object, all.apiVersion, apiVersion)
    const restThere = convert(rest.object, rest.apiVersion, apiVersion)
    if (!schema || !allThere || !restThere) continue
    const stays = unionFieldSets(namedSetOf(restThere, schema), withNamedFields(set, schema))
    const gone = fieldSetDifference(namedSetOf(allThere, schema), stays)
    all = { object: allThere, apiVersion }
    rest = { object: removeItems(allThere, gone, schema, { keepRequired }), apiVersion }
  }
  return rest
}

const namedSetOf = (object: JsonObject, schema: Schema): FieldSet =>
  withNamedFields(setOfObject(object, schema), schema)
