import type { Lease } from '@strata/api'

/** The facts of one candidate. Times are those of its own monotonic clock. */
export interface Candidacy {
  readonly identity: string
  readonly nowMs: number
  /** Undefined: it does not exist. */
  readonly lease: Lease | undefined
  /** When this candidate first saw the Lease in its present state. */
  readonly unchangedSinceMs: number
  /** Used if the Lease does not name a duration. */
  readonly leaseDurationMs: number
}

export type CandidacyDecision =
  | { readonly do: 'create'; readonly because: string }
  | { readonly do: 'take' | 'renew'; readonly because: string }
  | { readonly do: 'wait'; readonly because: string }

/**
 * Whether this candidate may hold the Lease. It never reads the times in the Lease, which another machine's wall clock
 * wrote. Otherwise: the holder's clock is an hour behind, its fresh Lease looks expired, and two processes lead at once.
 */
export function decideCandidacy(seen: Candidacy): CandidacyDecision {
  const { identity, nowMs, lease, unchangedSinceMs, leaseDurationMs } = seen
  if (!lease) return { do: 'create', because: 'there is no Lease' }
  const { holderIdentity: holder, leaseDurationSeconds } = lease.spec ?? {}
  if (holder === identity) return { do: 'renew', because: 'this process holds it' }
  if (holder === undefined || holder === '') return { do: 'take', because: 'it has no holder' }
  const durationMs = leaseDurationSeconds === undefined ? leaseDurationMs : 1000 * leaseDurationSeconds
  const unchangedMs = nowMs - unchangedSinceMs
  return unchangedMs >= durationMs
    ? { do: 'take', because: `${holder} has not renewed it for ${Math.round(unchangedMs)} ms` }
    : { do: 'wait', because: `${holder} holds it` }
}
