import type { GroupResource } from '@strata/api'
import type { World } from '@strata/world'
import { ClusterSigns, permanentNamespaces } from './cluster-signs.ts'
import { decodeOrNot } from './decode-value.ts'
import type { StoreSource } from './observe-store.ts'
import { openWithKeys } from './open-sealed.ts'
import { etcdText, readEtcdKeys } from './read-etcd.ts'
import { readEntries } from './read-snapshot.ts'
import { type ReadValue, readValue } from './read-value.ts'
import { rootPrefix } from './store-tally.ts'

/** The bytes of one object as they are stored. */
export interface StoredBytes {
  readonly key: string
  readonly value: Uint8Array
  /** The revision in which they were written: the resourceVersion of the object. */
  readonly revision: number
}

export interface FoundBytes extends StoredBytes {
  /** What they say of themselves. */
  readonly read: ReadValue
  /** What their plain value says, if they are encrypted and the given keys open them. */
  readonly opened?: ReadValue
}

/** What a store holds at some keys, and by what the cluster of that store can be recognized. */
export interface BytesSight {
  readonly source: string
  /** Read from etcd itself: nothing newer was stored when it was read. */
  readonly isLive: boolean
  /** Why the bytes may not be what was stored; undefined if they are exact. */
  readonly doubt?: string | undefined
  readonly found: readonly FoundBytes[]
  readonly signs: ClusterSigns
}

const namespaces: GroupResource = { group: '', resource: 'namespaces' }

/** Reads the bytes at these keys, of an object of that resource, from the store that the flags name. */
export async function observeBytes(
  { from, root, keysFile }: StoreSource,
  resource: GroupResource,
  keys: readonly string[],
  world: World,
  signal: AbortSignal,
): Promise<BytesSight> {
  const signs = new ClusterSigns()
  const found: FoundBytes[] = []
  const wanted = new Set(keys)
  const namespacesAt = `${rootPrefix(root)}namespaces/`
  const openSealed = keysFile === undefined ? undefined : await openWithKeys(keysFile, world, signal)
  const see = async ({ key, value: shown, revision }: StoredBytes): Promise<void> => {
    const isNamespace = key.startsWith(namespacesAt)
    if (!wanted.has(key) && !isNamespace) return
    // The buffer of a snapshot is used again.
    const value = Uint8Array.from(shown)
    const read = readValue(value)
    const of = isNamespace ? namespaces : resource
    const isSealed = read.form === 'encrypted' && openSealed !== undefined
    const opened = isSealed ? await openSealed({ key, value }, of) : undefined
    const wasOpened = opened?.plain === undefined ? {} : { opened: opened.read }
    if (wanted.has(key)) found.push({ key, value, revision, read, ...wasOpened })
    if (!isNamespace) return
    const { read: plainRead, plain } = opened ?? { read, plain: value }
    if (plain === undefined) return
    const place = { prefix: 'namespaces', object: key.slice(namespacesAt.length), resource: namespaces }
    signs.see(place, () => decodeOrNot(plain, plainRead))
  }
  if ('etcd' in from) {
    const names = permanentNamespaces.map((each) => `${namespacesAt}${each}`)
    const entries = await readEtcdKeys(from.etcd, [...wanted, ...names], world, signal)
    for (const entry of entries) await see(entry)
    return { source: etcdText(from.etcd), isLive: true, found, signs }
  }
  const { source, doubt } = await readEntries(from.snapshot, see, world, signal)
  return { source, isLive: false, doubt, found, signs }
}
