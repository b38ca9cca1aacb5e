import type { GroupResource } from '@strata/api'
import type { World } from '@strata/world'
import type { ClusterSigns } from './cluster-signs.ts'
import type { DefinitionFacts } from './definition-facts.ts'
import { emptyStoreError } from './empty-store.ts'
import { openWithKeys } from './open-sealed.ts'
import { type EtcdAccess, readEtcd, readEtcdRoots } from './read-etcd.ts'
import { readSnapshot, type StoreReading } from './read-snapshot.ts'
import { type StoredResource, StoreTally } from './store-tally.ts'

/** Which store is read, and how. */
export interface StoreSource {
  readonly from: { readonly etcd: EtcdAccess } | { readonly snapshot: string }
  readonly root: string
  readonly keysFile?: string | undefined
}

/** Everything that the store was read for. */
export interface StoreSight {
  readonly reading: StoreReading
  readonly resources: readonly StoredResource[]
  readonly definitions: readonly DefinitionFacts[]
  readonly signs: ClusterSigns
}

/** Reads the whole store once. `served` are the resources of the cluster, if it was asked. */
export async function observeStore(
  { from, root, keysFile }: StoreSource,
  served: readonly GroupResource[] | undefined,
  world: World,
  signal: AbortSignal,
  objectsKept?: number,
): Promise<StoreSight> {
  const openSealed = keysFile === undefined ? undefined : await openWithKeys(keysFile, world, signal)
  const tally = new StoreTally({ root, served, openSealed, objectsKept })
  const reading =
    'etcd' in from
      ? await readEtcd(from.etcd, root, tally, world, signal)
      : await readSnapshot(from.snapshot, tally, world, signal)
  if (tally.entries === 0) {
    const others = 'etcd' in from ? await otherRoots(from.etcd, world, signal) : [...tally.otherRoots]
    throw emptyStoreError(reading.source, root, others)
  }
  const { definitions, signs } = tally
  return { reading, resources: tally.resources(), definitions, signs }
}

/** Only what is below the prefix was read. A user of etcd may have the right to read no more: then the reason is returned. */
async function otherRoots(
  etcd: EtcdAccess,
  world: World,
  signal: AbortSignal,
): Promise<readonly string[] | string> {
  try {
    return await readEtcdRoots(etcd, world, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error
    return error.message
  }
}
