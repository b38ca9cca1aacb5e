import { type DiscoveryDocHash, isIdentityLease } from '@strata/api'
import { resourcePrefix } from '../../codec/index.ts'
import type { WatchCache } from '../../watch-cache/index.ts'
import { docHashesKey, docHashesPrefix, identityLeasePrefix, leaseKind } from '../frozen-kinds.ts'
import { readDocHashes } from './doc-hashes.ts'

export interface DocHashView {
  /** Undefined if the object is absent, or cannot be decoded. */
  readonly entries: readonly DiscoveryDocHash[] | undefined
  /** Ids of the servers that have an identity Lease. */
  readonly liveServers: ReadonlySet<string>
}

/** The live servers and what they have reported, from the cache. The caller makes sure that the cache is fresh. */
export function observeDocHashes(cache: WatchCache): DocHashView {
  const leases = cache.collection(resourcePrefix(leaseKind.codec.definition)).range(identityLeasePrefix)
  const liveServers = new Set<string>()
  for (let index = 0; index < leases.count; index++) {
    const lease = leaseKind.decode(leases.at(index))
    if (isIdentityLease(lease)) liveServers.add(lease.metadata.name ?? '')
  }
  return { entries: readDocHashes(cache.collection(docHashesPrefix).get(docHashesKey)), liveServers }
}
