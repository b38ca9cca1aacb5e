import type { BytesSight, StoredBytes } from '../../stored/stored-bytes.ts'

export type DeletionDecision =
  | { readonly do: 'save and delete'; readonly bytes: StoredBytes }
  | { readonly do: 'refuse'; readonly because: string }

export interface DeletionFacts {
  /** Undefined without a store. */
  readonly sight: BytesSight | undefined
  readonly keys: readonly string[]
  /** Why it is not known that the store is of this cluster; undefined if it is. */
  readonly strangeness: string | undefined
  /** The server takes the revision of the bytes as a precondition, as Strata's do: no other bytes are deleted then. */
  readonly takesRevision: boolean
}

/** Whether the stored bytes of an object may be deleted: only after just these bytes are in a file. */
export function decideDeletion({ sight, keys, strangeness, takesRevision }: DeletionFacts): DeletionDecision {
  const refuse = (because: string): DeletionDecision => ({ do: 'refuse', because })
  if (sight === undefined)
    return refuse(
      'its bytes could not be saved, because no API shows them: name the store with --etcd-servers, or with --etcd-snapshot',
    )
  const { source, found, isLive } = sight
  if (strangeness !== undefined)
    return refuse(`it is not known that ${source} is of this cluster: ${strangeness}`)
  const [bytes, ...others] = found
  if (bytes === undefined)
    return refuse(`${source} has nothing at ${keys.join(' or ')}: its bytes could not be saved`)
  if (others.length > 0)
    return refuse(
      `${source} has ${found.map(({ key }) => key).join(' and ')}, and it is not known which of them it is`,
    )
  if (!isLive && !takesRevision)
    return refuse(
      'a snapshot may have other bytes than are stored now, and this API server does not compare them: name etcd itself with --etcd-servers',
    )
  return { do: 'save and delete', bytes }
}
