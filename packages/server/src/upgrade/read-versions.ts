import { unknownVersion } from '@strata/api'
import { storedVersionIn } from '../codec/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection } from '../watch-cache/index.ts'

/**
 * The stored versions, from the bytes themselves: exact, as of the collection's revision. The version is unknown if the bytes
 * name none, because they are damaged or no key opens them here.
 */
export function readVersions(collection: Pick<Collection, 'range'>, prefix: Key): readonly string[] {
  const found = new Set<string>()
  const all = collection.range(prefix)
  for (let index = 0; index < all.count; index++) {
    found.add(storedVersionIn(all.at(index).value) ?? unknownVersion)
  }
  return [...found].sort()
}
