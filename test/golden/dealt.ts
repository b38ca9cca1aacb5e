import { isFullSize } from '../support/full-size.ts'
import { type ServedStore, servedStores } from './served-store.ts'

/**
 * What is played to one store: everything at full size, otherwise each thing to one of the stores in turn. That stores are
 * alike is what the tests of the stores say; here they only have to be there.
 */
export function dealtTo<T>(store: ServedStore, all: readonly T[]): readonly T[] {
  if (isFullSize) return all
  return all.filter((_, index) => index % servedStores.length === servedStores.indexOf(store))
}
