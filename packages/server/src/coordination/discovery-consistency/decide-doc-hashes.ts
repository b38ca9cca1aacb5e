import type { DiscoveryDocHash } from '@strata/api'

/** The discovery KEP, "Periodically reporting DiscoveryDocHashes & Garbage Collection". */
export const heartbeatMs = 5 * 60_000
/** Three periods: after that any server may remove the entry. */
export const silentLimitMs = 3 * heartbeatMs
/** Each removal of a server without a Lease is a guard, and a transaction takes only so many. */
const removalsPerChange = 50

export interface DocHashFacts {
  /** As stored. A client may have written them. */
  readonly entries: readonly Partial<DiscoveryDocHash>[]
  readonly own: Pick<DiscoveryDocHash, 'apiServerID' | 'builtInAPIHash'>
  readonly isHeartbeatDue: boolean
  /** Names of the Leases in the namespace of identities. */
  readonly leases: ReadonlySet<string>
  /** For how long this server has seen an entry stay as it is, on its own monotonic clock. */
  readonly silentMs: (apiServerID: string) => number
  readonly now: string
}

export interface DocHashChange {
  readonly entries: readonly DiscoveryDocHash[]
  /** Servers whose entry is removed because they have no Lease: the change commits only while they have none. */
  readonly withoutLease: readonly string[]
}

/**
 * The entries as they should be; undefined if nothing has to change. The own entry names the hash that is served now. The
 * entry of a server goes if it has no Lease, or has not changed for three periods. Times in the entries come from other clocks
 * and decide nothing: a clock that jumps expels no server.
 */
export function decideDocHashes(facts: DocHashFacts): DocHashChange | undefined {
  const { own, leases, silentMs, now } = facts
  const kept = new Map<string, DiscoveryDocHash>()
  const withoutLease: string[] = []
  let isChanged = false
  for (const entry of facts.entries) {
    // No Strata server writes an incomplete or a duplicate entry.
    if (!isWhole(entry) || kept.has(entry.apiServerID)) isChanged = true
    else if (entry.apiServerID === own.apiServerID) kept.set(entry.apiServerID, entry)
    else if (!leases.has(entry.apiServerID) && withoutLease.length < removalsPerChange) {
      withoutLease.push(entry.apiServerID)
    } else if (silentMs(entry.apiServerID) >= silentLimitMs) isChanged = true
    else kept.set(entry.apiServerID, entry)
  }
  const before = kept.get(own.apiServerID)
  const isCurrent = before?.builtInAPIHash === own.builtInAPIHash
  const isDue = facts.isHeartbeatDue && before?.lastHeartbeatTime !== now
  if (!isCurrent || isDue) kept.set(own.apiServerID, { ...own, lastHeartbeatTime: now })
  if (isCurrent && !isDue && !isChanged && withoutLease.length === 0) return undefined
  return { entries: sorted([...kept.values()]), withoutLease }
}

/** The entries without one server's; undefined if it has none. */
export function withoutDocHash(
  entries: readonly DiscoveryDocHash[],
  serverID: string,
): readonly DiscoveryDocHash[] | undefined {
  const others = entries.filter(({ apiServerID }) => apiServerID !== serverID)
  return others.length === entries.length ? undefined : sorted(others)
}

function isWhole(entry: Partial<DiscoveryDocHash>): entry is DiscoveryDocHash {
  return Boolean(entry.apiServerID && entry.builtInAPIHash && entry.lastHeartbeatTime)
}

/** Rule 9: the same facts always give the same bytes. */
function sorted(entries: readonly DiscoveryDocHash[]): readonly DiscoveryDocHash[] {
  return entries.toSorted((a, b) =>
    a.apiServerID < b.apiServerID ? -1 : a.apiServerID > b.apiServerID ? 1 : 0,
  )
}
