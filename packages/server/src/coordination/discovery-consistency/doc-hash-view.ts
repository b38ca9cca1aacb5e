import { type DiscoveryDocHash, isIdentityLease } from '@strata/api'
import { resourcePrefix } from '../../codec/index.ts'
import type { WatchCache } from '../../watch-cache/index.ts'
import { docHashesKey, docHashesPrefix, identityLeasePrefix, leaseKind } from '../frozen-kinds.ts'
import { readDocHashes } from './doc-hashes.ts'

export interface DocHashView {
  /** Undefined if the object is not there, or is nothing that a server of ours has written. */
  readonly entries: readonly DiscoveryDocHash[] | undefined
  /** Ids of the servers that have an identity Lease. */
  readonly liveServers: ReadonlySet<string>
}

/** Who is alive and what they have reported, as the cache has it: as new as whoever asks has made sure of. */
export function observeDocHashes(cache: WatchCache): DocHashView {
  const leases = cache.collection(resourcePrefix(leaseKind.codec.definition)).range(identityLeasePrefix)
  const liveServers = new Set<string>()
  for (let index = 0; index < leases.count; index++) {
    const lease = leaseKind.decode(leases.at(index))
    if (isIdentityLease(lease)) liveServers.add(lease.metadata.name ?? '')
  }
  return { entries: readDocHashes(cache.collection(docHashesPrefix).get(docHashesKey)), liveServers }
}
