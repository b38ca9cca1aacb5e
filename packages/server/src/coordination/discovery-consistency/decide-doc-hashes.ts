import type { DiscoveryDocHash } from '@strata/api'

/** Seed 004, "Periodically reporting DiscoveryDocHashes & Garbage Collection". */
export const heartbeatMs = 5 * 60_000
/** Three periods: after that any server may take the entry out. */
export const silentLimitMs = 3 * heartbeatMs
/** Each removal of a server without a Lease is a guard, and a transaction takes only so many. */
const removalsPerChange = 50

export interface DocHashFacts {
  /** As they stand in the store; whoever wrote them. */
  readonly entries: readonly Partial<DiscoveryDocHash>[]
  readonly own: Pick<DiscoveryDocHash, 'apiServerID' | 'builtInAPIHash'>
  readonly isHeartbeatDue: boolean
  /** Names of the Leases that stand where identities are. */
  readonly leases: ReadonlySet<string>
  /** For how long this server has seen an entry stay as it is, on its own monotonic clock. */
  readonly silentMs: (apiServerID: string) => number
  readonly now: string
}

export interface DocHashChange {
  readonly entries: readonly DiscoveryDocHash[]
  /** Taken out because no Lease of theirs stands: the change may be stored only while none does. */
  readonly withoutLease: readonly string[]
}

/**
 * What the one object should say, as far as this server may say it; undefined if it does already. The own entry is there,
 * and says what is served now. Entries go whose server is gone: it has no Lease, or was not heard of for three periods. The
 * times in the entries are other servers' clocks and decide nothing: a clock that jumps, here or there, expels nobody.
 */
export function decideDocHashes(facts: DocHashFacts): DocHashChange | undefined {
  const { own, leases, silentMs, now } = facts
  const kept = new Map<string, DiscoveryDocHash>()
  const withoutLease: string[] = []
  let isChanged = false
  for (const entry of facts.entries) {
    // What is not whole, or said twice, no server of ours has written.
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
