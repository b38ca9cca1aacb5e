/** The state of a server's identity Lease. After a failed read it is `unknown`, never `absent`. */
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
 * Which entries of an agreement record or a StorageVersion belong to servers that are gone. Upstream treats any failed read as
 * an absence, so it removes the entry of a live server if the API is overloaded (docs/reference/upstream-behaviour.md, P3).
 * Then the servers seem to agree while that server still writes the old version.
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
    ? { do: 'nothing', because: `the Leases of these servers cannot be read: ${unknown.join(', ')}` }
    : { do: 'nothing', because: 'every entry has its Lease' }
}
