import type { Schema } from '../schema.ts'
import { elementOf } from './list-elements.ts'
import type { PathElement } from './path-element.ts'

type MergeValues = (left: unknown, right: unknown, schema: Schema | undefined) => unknown

/**
 * The elements of both lists, those with the same path merged. Elements of the right list are in its order, those
 * that only the left one has stay where they were between their neighbours.
 */
export function mergeLists(
  left: readonly unknown[],
  right: readonly unknown[],
  schema: Schema | undefined,
  mergeValues: MergeValues,
): readonly unknown[] {
  const lefts = indexed(left, schema)
  const rights = indexed(right, schema)
  if (!lefts || !rights) return right
  const merged: unknown[] = []
  const taken = new Set<PathElement>()
  const take = (element: PathElement): void => {
    taken.add(element)
    merged.push(mergeValues(lefts.items.get(element), rights.items.get(element), schema?.items))
  }
  const shared = rights.order.filter((element) => lefts.items.has(element))
  let nextShared = 0
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const ours = lefts.order[l]
    const theirs = rights.order[r]
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(ours)
        l++
        r++
        nextShared++
        continue
      }
      // Another element that both have comes before this one: it is met again on the right.
      if (rights.items.has(ours) && nextShared < shared.length && shared[nextShared] !== ours) {
        l++
        continue
      }
    }
    if (ours !== undefined) {
      if (!rights.items.has(ours)) {
        merged.push(left[l])
        l++
        continue
      }
      if (taken.has(ours)) l++
    }
    if (theirs === undefined) continue
    take(theirs)
    r++
    if (shared[nextShared] === theirs) nextShared++
  }
  return merged
}

interface Indexed {
  readonly order: readonly PathElement[]
  /** Items that share their path cannot be distinguished: a merge replaces all of them. */
  readonly items: ReadonlyMap<PathElement, unknown>
}

/** `undefined` if an element has no path; such a list was refused before, or is replaced whole. */
function indexed(list: readonly unknown[], schema: Schema | undefined): Indexed | undefined {
  const order: PathElement[] = []
  const items = new Map<PathElement, unknown>()
  for (const item of list) {
    const element = elementOf(item, schema)
    if (element === undefined) return undefined
    order.push(element)
    items.set(element, items.has(element) ? null : item)
  }
  return { order, items }
}
