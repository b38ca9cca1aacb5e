import { goValueText } from './go-value.ts'
import { fieldOf, isJsonObject, type JsonObject } from './json-value.ts'
import { PatchError } from './patch-error.ts'
import { cannotMerge, unknownDirective } from './strategic-error.ts'
import { identifyBy, inOrder, placesOf } from './strategic-order.ts'
import type { StrategicField, StrategicPlace } from './strategic-schema.ts'

export type MergeMaps = (original: JsonObject, patch: JsonObject, place: StrategicPlace) => JsonObject

/** A list with the elements of a patch merged into it, as its field says. */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  { place, strategy, mergeKey }: StrategicField,
  mergeMaps: MergeMaps,
): readonly unknown[] {
  if (strategy !== 'merge') return patch
  if (original.length === 0 && patch.length === 0) return original
  if (!areMaps(original, patch)) {
    const identify = identifyBy(undefined)
    const both = [...original, ...patch]
    const places = placesOf(both, identify)
    const merged = both.filter((item, index) => places.get(identify(item)) === index)
    return inOrder(merged, patch, original, identify)
  }
  if (mergeKey === undefined) throw cannotMerge('cannot merge lists without merge key for struct')
  const { kept, sent } = followDirectives(original as JsonObject[], patch as JsonObject[], mergeKey)
  const identify = identifyBy(mergeKey)
  const merged = [...kept]
  const places = placesOf(kept, (item) =>
    fieldOf(item as JsonObject, mergeKey) === undefined ? '' : identify(item),
  )
  for (const item of sent) {
    const id = identify(item)
    const at = places.get(id)
    if (at === undefined) places.set(id, merged.push(item) - 1)
    else merged[at] = mergeMaps(merged[at] as JsonObject, item, place)
  }
  return inOrder(merged, sent, kept, identify)
}

/** `$deleteFromPrimitiveList/x`: what it names goes, whatever the strategy of the list. */
export function withoutElements(original: readonly unknown[], gone: readonly unknown[]): readonly unknown[] {
  if (areMaps(original, gone)) throw cannotMerge('cannot merge lists without merge key for struct')
  const identify = identifyBy(undefined)
  const ids = new Set(gone.map(identify))
  return original.filter((item) => !ids.has(identify(item)))
}

/** Elements of a patch that are not elements: those that say what shall go, and those that replace all. */
function followDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly kept: readonly JsonObject[]; readonly sent: readonly JsonObject[] } {
  const identify = identifyBy(mergeKey)
  const sent: JsonObject[] = []
  const gone = new Set<string>()
  let replaces = false
  for (const item of patch) {
    if (!Object.hasOwn(item, '$patch')) sent.push(item)
    else if (item['$patch'] === 'replace') replaces = true
    else if (item['$patch'] === 'delete') gone.add(identify(item))
    else if (item['$patch'] === 'merge')
      throw cannotMerge('merging lists cannot yet be specified in the patch')
    else throw unknownDirective(item['$patch'], item)
  }
  if (replaces) return { kept: sent, sent: [] }
  const kept = original.filter((item) => !Object.hasOwn(item, mergeKey) || !gone.has(identify(item)))
  return { kept, sent }
}

function areMaps(...lists: ReadonlyArray<readonly unknown[]>): boolean {
  const items = lists.flat()
  const kind = kindOf(items[0])
  if (kind === 'list') throw new PatchError('not-applicable', 'lists of lists are not supported')
  if (items.some((item) => kindOf(item) !== kind)) {
    throw cannotMerge(`list element types are not identical: ${goValueText(lists)}`)
  }
  return kind === 'map'
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return isJsonObject(value) ? 'map' : typeof value
}
