import type { World } from '@strata/world'
import type { Admission } from '../admission/index.ts'
import { resourcePrefix } from '../codec/index.ts'
import type { WriteGate } from '../coordination/index.ts'
import type { Entry, Key, Store, Write } from '../store/index.ts'
import type { Collection, WatchCache } from '../watch-cache/index.ts'
import type { ServedApi, ServedResource } from './served/served-api.ts'
import type { NamespaceStates } from './write/namespace-guard.ts'
import type { WriteCheck } from './write/write-options.ts'

/** The parts that the generic code of all resources needs. */
export interface Registry {
  readonly api: ServedApi
  readonly store: Store
  readonly cache: WatchCache
  readonly gate: WriteGate
  readonly world: World
  /** Checks every object that a client is about to put or delete, by any verb. */
  readonly checkWrite: WriteCheck
  /** The admission webhooks. */
  readonly admission: Admission
  /** Says whether a namespace may be created in, if the namespaces of this server's own kinds are objects of another server. */
  readonly namespaceState?: NamespaceStates | undefined
  /** Records in the store which server puts the objects at these keys; absent unless writers are traced. */
  readonly markWriter?: ((...keys: readonly Key[]) => Write) | undefined
  /** Whether this server records what it writes, and so owns the StorageVersions of the resources it serves. */
  readonly recordsWrites: boolean
}

export function collectionOf(registry: Pick<Registry, 'cache'>, { definition }: ServedResource): Collection {
  return registry.cache.collection(resourcePrefix(definition))
}

/** The cached entry: possibly old, never wrong. */
export function cachedEntry(
  registry: Pick<Registry, 'cache'>,
  resource: ServedResource,
  key: Key,
): Entry | undefined {
  return collectionOf(registry, resource).get(key)
}
