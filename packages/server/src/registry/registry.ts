import type { World } from '@strata/world'
import type { Admission } from '../admission/index.ts'
import { resourcePrefix } from '../codec/index.ts'
import type { WriteGate } from '../coordination/index.ts'
import type { Entry, Key, Store, Write } from '../store/index.ts'
import type { Collection, WatchCache } from '../watch-cache/index.ts'
import type { ServedApi, ServedResource } from './served/served-api.ts'
import type { WriteCheck } from './write/write-options.ts'

/** What the generic rules of all resources work with. */
export interface Registry {
  readonly api: ServedApi
  readonly store: Store
  readonly cache: WatchCache
  readonly gate: WriteGate
  readonly world: World
  /** Of every object that a client is about to put, however it does so. */
  readonly checkWrite: WriteCheck
  /** Who else has a say in what clients write. */
  readonly admission: Admission
  /** Says in the store who puts the objects at these keys, right after; absent unless writers are traced. */
  readonly markWriter?: (...keys: readonly Key[]) => Write
  /** Whether this server puts down what it writes, and so holds the StorageVersions of what it serves. */
  readonly recordsWrites: boolean
}

export function collectionOf(registry: Pick<Registry, 'cache'>, { definition }: ServedResource): Collection {
  return registry.cache.collection(resourcePrefix(definition))
}

/** An entry as the cache has it: maybe old, never wrong. */
export function cachedEntry(
  registry: Pick<Registry, 'cache'>,
  resource: ServedResource,
  key: Key,
): Entry | undefined {
  return collectionOf(registry, resource).get(key)
}
