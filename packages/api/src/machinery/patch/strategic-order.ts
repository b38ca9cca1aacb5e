import { goValueText } from './go-value.ts'
import { isJsonObject } from './json-value.ts'
import { isRawNumber } from './raw-number.ts'
import { cannotMerge, noMergeKey, wrongArgument } from './strategic-error.ts'

/** The identity of an element: the value of its merge key; without a merge key, its own value. */
export type Identify = (item: unknown) => string

export function identifyBy(mergeKey: string | undefined): Identify {
  if (mergeKey === undefined) return scalarText
  return (item) => {
    if (!isJsonObject(item)) throw wrongArgument('map', item)
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
    return scalarText(item[mergeKey])
  }
}

function scalarText(value: unknown): string {
  if (!isRawNumber(value)) return JSON.stringify(value) ?? 'null'
  return /^-?\d+$/.test(value.rawJSON) ? String(BigInt(value.rawJSON)) : String(Number(value.rawJSON))
}

/** The place of each element, and of those that are the same, of the first. */
export function placesOf(list: readonly unknown[], identify: Identify): Map<string, number> {
  const places = new Map<string, number>()
  for (const [index, item] of list.entries()) {
    const id = identify(item)
    if (!places.has(id)) places.set(id, index)
  }
  return places
}

/**
 * Elements that `wanted` names, in its order, and the others in the order they had. Where the two meet, an element
 * stands before another if it did so in the list as it was; new ones come as early as they can.
 */
export function inOrder(
  list: readonly unknown[],
  wanted: readonly unknown[],
  before: readonly unknown[],
  identify: Identify,
): unknown[] {
  const wantedAt = placesOf(wanted, identify)
  const wasAt = placesOf(before, identify)
  const items = list.map((item) => ({ item, id: identify(item) }))
  const named = items.filter(({ id }) => wantedAt.has(id))
  const others = items.filter(({ id }) => !wantedAt.has(id))
  const at = (places: Map<string, number>, id: string): number => places.get(id) ?? 0
  named.sort((a, b) => at(wantedAt, a.id) - at(wantedAt, b.id))
  others.sort((a, b) => at(wasAt, a.id) - at(wasAt, b.id))
  const ordered: unknown[] = []
  let next = 0
  for (const { item, id } of named) {
    const place = wasAt.get(id)
    for (let other = others[next]; other && place !== undefined; other = others[next]) {
      if (at(wasAt, other.id) >= place) break
      ordered.push(other.item)
      next++
    }
    ordered.push(item)
  }
  for (const { item } of others.slice(next)) ordered.push(item)
  return ordered
}

/** The items of a list in a patch must be in its `$setElementOrder`, in the same order. */
export function checkElementOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  identify: Identify,
  isDirective: (item: unknown) => boolean,
): void {
  const sent = patch.filter((item) => !isDirective(item))
  if (order.length === 0 || sent.length === 0) return
  let next = 0
  for (const each of order) {
    if (next < sent.length && identify(sent[next]) === identify(each)) next++
  }
  if (next < sent.length) throw orderMismatch(patch, order)
}

function orderMismatch(patch: readonly unknown[], order: readonly unknown[]): Error {
  return cannotMerge(
    `The order in patch list:\n${goValueText(patch)}\n doesn't match $setElementOrder list:\n${goValueText(order)}\n`,
  )
}

export function orderListOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongArgument('list', value)
  return value
}
