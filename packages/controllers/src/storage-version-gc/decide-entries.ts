/** What is known of a server's identity Lease. A read that failed is `unknown`, never `absent`. */
export type LeaseKnowledge = 'present' | 'absent' | 'unknown'

export interface ServerEntry {
  readonly serverID: string
}

export type EntriesDecision<T> =
  | { readonly do: 'nothing'; readonly because: string }
  | {
      readonly do: 'remove'
      readonly keep: readonly T[]
      readonly servers: readonly string[]
      readonly because: string
    }

/**
 * Which entries of an agreement record, or of a StorageVersion, speak for nobody. Upstream takes any failed read for
 * an absence, and so removes a live server's entry when the API is overloaded (behaviour.md, P3): agreement then looks reached
 * while that server still writes the old version.
 */
export function decideEntries<T extends ServerEntry>(
  entries: readonly T[],
  leaseOf: (serverID: string) => LeaseKnowledge,
): EntriesDecision<T> {
  const servers = entries.map(({ serverID }) => serverID).filter((id) => leaseOf(id) === 'absent')
  if (servers.length > 0) {
    const keep = entries.filter(({ serverID }) => !servers.includes(serverID))
    return { do: 'remove', keep, servers, because: `without a Lease: ${servers.join(', ')}` }
  }
  const unknown = entries.map(({ serverID }) => serverID).filter((id) => leaseOf(id) === 'unknown')
  return unknown.length > 0
    ? { do: 'nothing', because: `cannot tell whether these have a Lease: ${unknown.join(', ')}` }
    : { do: 'nothing', because: 'every entry has its Lease' }
}
