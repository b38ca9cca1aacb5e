import type { World } from '@strata/world'
import { ClusterSigns, permanentNamespaces } from './cluster-signs.ts'
import { decodeOrNot } from './decode-value.ts'
import type { StoreSource } from './observe-store.ts'
import { openWithKeys } from './open-sealed.ts'
import { etcdText, readEtcdKeys } from './read-etcd.ts'
import { readEntries } from './read-snapshot.ts'
import { readValue } from './read-value.ts'
import { rootPrefix } from './store-tally.ts'

/** The bytes of one object as they are stored. */
export interface StoredBytes {
  readonly key: string
  readonly value: Uint8Array
  /** The revision in which they were written: the resourceVersion of the object. */
  readonly revision: number
}

/** What a store holds at some keys, and by what the cluster of that store can be recognized. */
export interface BytesSight {
  readonly source: string
  /** Read from etcd itself: nothing newer was stored when it was read. */
  readonly isLive: boolean
  readonly found: readonly StoredBytes[]
  readonly signs: ClusterSigns
}

/** Reads the bytes at these keys from the store that the flags name. */
export async function observeBytes(
  { from, root, keysFile }: StoreSource,
  keys: readonly string[],
  world: World,
  signal: AbortSignal,
): Promise<BytesSight> {
  const signs = new ClusterSigns()
  const found: StoredBytes[] = []
  const wanted = new Set(keys)
  const namespacesAt = `${rootPrefix(root)}namespaces/`
  const openSealed = keysFile === undefined ? undefined : await openWithKeys(keysFile, world, signal)
  const see = async ({ key, value, revision }: StoredBytes): Promise<void> => {
    // The buffer of a snapshot is used again.
    if (wanted.has(key)) found.push({ key, value: Uint8Array.from(value), revision })
    if (!key.startsWith(namespacesAt)) return
    const resource = { group: '', resource: 'namespaces' }
    const read = readValue(value)
    const opened =
      read.form === 'encrypted' && openSealed
        ? await openSealed({ key, value }, resource)
        : { read, plain: value }
    const { plain } = opened
    if (plain === undefined) return
    const place = { prefix: 'namespaces', object: key.slice(namespacesAt.length), resource }
    signs.see(place, () => decodeOrNot(plain, opened.read))
  }
  if ('etcd' in from) {
    const names = permanentNamespaces.map((each) => `${namespacesAt}${each}`)
    const entries = await readEtcdKeys(from.etcd, [...wanted, ...names], world, signal)
    for (const entry of entries) await see(entry)
    return { source: etcdText(from.etcd), isLive: true, found, signs }
  }
  await readEntries(from.snapshot, see, world, signal)
  return { source: `snapshot ${from.snapshot}`, isLive: false, found, signs }
}
