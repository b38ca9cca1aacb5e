import type { GroupResource } from '@strata/api'
import { counted } from '@strata/insight'
import type { World } from '@strata/world'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { ClusterSigns } from './cluster-signs.ts'
import type { DefinitionFacts } from './definition-facts.ts'
import { openWithKeys } from './open-sealed.ts'
import { type EtcdAccess, readEtcd } from './read-etcd.ts'
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
  if (tally.entries === 0) throw emptyError(reading.source, root, [...tally.otherRoots])
  const { definitions, signs } = tally
  return { reading, resources: tally.resources(), definitions, signs }
}

function emptyError(source: string, root: string, others: readonly string[]): CliError {
  const seen = others.length === 0 ? 'it holds no key at all' : `its keys begin with ${others.join(', ')}`
  const text = `${source} holds no object below ${root}: ${seen} (${counted(others.length, 'prefix')}); name the servers' --etcd-prefix`
  return new CliError(text, exitCodes.notSeen)
}
