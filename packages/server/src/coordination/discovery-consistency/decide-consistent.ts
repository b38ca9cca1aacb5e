import type { DiscoveryDocHash } from '@strata/api'

export interface ConsistencyFacts {
  /** Whether these facts are as new as the store was when the client asked. */
  readonly isFresh: boolean
  /** Undefined if the object is not there, or could not be read. */
  readonly entries: readonly DiscoveryDocHash[] | undefined
  /** Ids of the servers that have an identity Lease. */
  readonly liveServers: ReadonlySet<string>
  readonly own: Pick<DiscoveryDocHash, 'apiServerID' | 'builtInAPIHash'>
  /** At least so many servers must have reported; 0 expects no number (rule 11). */
  readonly expectedServers: number
}

/**
 * Whether all servers certainly serve the same discovery documents (the discovery KEP, "Handling discovery requests"): every
 * live server has reported, all have reported the same hash, and this server still serves what it has reported.
 */
export function decideConsistent(facts: ConsistencyFacts): boolean {
  const { isFresh, entries, liveServers, own, expectedServers } = facts
  if (!isFresh || !entries || entries.length < expectedServers) return false
  const reported = new Set(entries.map(({ apiServerID }) => apiServerID))
  return (
    liveServers.has(own.apiServerID) &&
    liveServers.isSubsetOf(reported) &&
    entries.every(({ builtInAPIHash }) => builtInAPIHash === own.builtInAPIHash)
  )
}
