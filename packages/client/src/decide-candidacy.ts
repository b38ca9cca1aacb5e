import type { Lease } from '@strata/api'

/** What a candidate knows. Times are of its own monotonic clock. */
export interface Candidacy {
  readonly identity: string
  readonly nowMs: number
  /** Undefined: there is none. */
  readonly lease: Lease | undefined
  /** When this candidate first saw the Lease in its present state. */
  readonly unchangedSinceMs: number
  /** For a Lease that does not say how long it lasts. */
  readonly leaseDurationMs: number
}

export type CandidacyDecision =
  | { readonly do: 'create'; readonly because: string }
  | { readonly do: 'take' | 'renew'; readonly because: string }
  | { readonly do: 'wait'; readonly because: string }

/**
 * Whether the Lease may be ours. The times in it are never read: they were written by another machine's wall
 * clock. Otherwise: the holder's clock is an hour behind, its fresh Lease looks expired, and two lead at once.
 */
export function decideCandidacy(seen: Candidacy): CandidacyDecision {
  const { identity, nowMs, lease, unchangedSinceMs, leaseDurationMs } = seen
  if (!lease) return { do: 'create', because: 'there is no Lease' }
  const { holderIdentity: holder, leaseDurationSeconds } = lease.spec ?? {}
  if (holder === identity) return { do: 'renew', because: 'we hold it' }
  if (holder === undefined || holder === '') return { do: 'take', because: 'nobody holds it' }
  const durationMs = leaseDurationSeconds === undefined ? leaseDurationMs : 1000 * leaseDurationSeconds
  const unchangedMs = nowMs - unchangedSinceMs
  return unchangedMs >= durationMs
    ? { do: 'take', because: `${holder} has not renewed it for ${Math.round(unchangedMs)} ms` }
    : { do: 'wait', because: `${holder} holds it` }
}
