import { storedVersionIn } from '../codec/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection } from '../watch-cache/index.ts'

/**
 * How many objects are stored in which version, by the bytes themselves: exact, as of what the collection has come to.
 * Bytes that name no version are in none. They are a matter of damage, not of releases, and are told of one by one.
 */
export function countVersions(collection: Collection, prefix: Key): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const all = collection.range(prefix)
  for (let index = 0; index < all.count; index++) {
    const storedVersion = storedVersionIn(all.at(index).value)
    if (storedVersion !== undefined) counts.set(storedVersion, (counts.get(storedVersion) ?? 0) + 1)
  }
  return counts
}
