import {
  isAggregatedLease,
  isServerOfOrigin,
  type Lease,
  type MirroredOrigin,
  originLabel,
  originsOf,
  type StorageVersion,
} from '@strata/api'

export type OriginsDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'write'; readonly origins: readonly MirroredOrigin[]; readonly because: string }
  | { readonly do: 'delete'; readonly because: string }

/**
 * Which origins a mirrored StorageVersion still names though no server of theirs is left (rule 15). While two origins are named,
 * nothing counts as agreed on: an aggregated fleet that was removed for good would keep its successor from migrating for ever.
 *
 * An origin is named before its entries are there, and its Leases come before both. So it is gone only if it has neither.
 */
export function decideOrigins(object: StorageVersion, leases: Iterable<Lease>): OriginsDecision {
  const origins = originsOf(object)
  if (origins.length === 0) return { do: 'nothing' }
  const servers = object.status.storageVersions ?? []
  const live = new Set(
    [...leases].filter(isAggregatedLease).map((each) => each.metadata.labels?.[originLabel]),
  )
  const isGone = (origin: string): boolean =>
    !live.has(origin) && !servers.some(({ apiServerID }) => isServerOfOrigin(apiServerID, origin))
  const kept = origins.filter(({ origin }) => !isGone(origin))
  if (kept.length === origins.length) return { do: 'nothing' }
  const because = `no server is left of ${origins.filter((each) => !kept.includes(each)).map(({ origin }) => origin)}`
  if (kept.length === 0 && servers.length === 0) return { do: 'delete', because }
  return { do: 'write', origins: kept, because }
}
