import { unknownVersion } from '@strata/api'
import { storedVersionIn } from '../codec/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection } from '../watch-cache/index.ts'

/**
 * In which versions objects are stored, by the bytes themselves: exact, as of what the collection has come to. Of bytes that
 * name no version, because they are damaged or nobody here has their key, nobody knows it.
 */
export function readVersions(collection: Pick<Collection, 'range'>, prefix: Key): readonly string[] {
  const found = new Set<string>()
  const all = collection.range(prefix)
  for (let index = 0; index < all.count; index++) {
    found.add(storedVersionIn(all.at(index).value) ?? unknownVersion)
  }
  return [...found].sort()
}
