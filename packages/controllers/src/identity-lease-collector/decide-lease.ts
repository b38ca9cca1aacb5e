import type { Lease } from '@strata/api'

/** One state of one Lease, and for how long this observer has seen it stand. */
export interface LeaseObservation {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** Time between looks that succeeded, on the observer's own monotonic clock. */
  readonly watchedMs: number
  readonly lastLookMs: number
}

export type LeaseDecision =
  /** Not for us, or gone: nothing to remember. */
  | { readonly do: 'forget'; readonly because: string }
  | {
      readonly do: 'watch'
      readonly observation: LeaseObservation
      readonly lookAgainMs: number
      readonly because: string
    }
  | { readonly do: 'delete'; readonly because: string }

export interface LeaseLook {
  /** As the server has just given it; undefined: it is certainly absent. */
  readonly lease: Lease | undefined
  readonly isIdentity: boolean
  readonly before: LeaseObservation | undefined
  readonly nowMs: number
  /** For Leases that name no duration, or were never renewed. */
  readonly defaultDurationMs: number
}

const looksPerDuration = 4

/** Whatever a Lease claims: one that names years would otherwise count as a server for years after its last renewal. */
const longestDurationMs = 24 * 3_600_000

/**
 * Whether a server's Lease has expired (agreement.md, rule 8): this observer has seen it unchanged for its whole
 * duration, on its own monotonic clock. The times inside are another machine's, and are not read. Where
 * renewTime or the duration is missing, upstream takes the Lease for expired at once (behaviour.md, N11); here
 * it gets the default duration, for it may be a server's that is only just starting.
 *
 * Time counts only as far as we looked: each look vouches for at most a quarter of the duration. Otherwise: the
 * store is down for two hours, or the whole machine is paused; when it comes back we look before the servers
 * have renewed, find every Lease older than its duration, and expel the whole live fleet at once.
 */
export function decideLease({
  lease,
  isIdentity,
  before,
  nowMs,
  defaultDurationMs,
}: LeaseLook): LeaseDecision {
  if (!lease) return { do: 'forget', because: 'it is gone' }
  if (!isIdentity) return { do: 'forget', because: 'it is not the identity of a server' }
  const { uid, resourceVersion } = lease.metadata
  const durationMs = Math.min(longestDurationMs, durationOf(lease) ?? defaultDurationMs)
  const stepMs = durationMs / looksPerDuration

  if (!before || before.uid !== uid || before.resourceVersion !== resourceVersion) {
    const observation = { uid, resourceVersion, watchedMs: 0, lastLookMs: nowMs }
    const because = before ? 'it was renewed' : 'seen for the first time'
    return { do: 'watch', observation, lookAgainMs: stepMs, because }
  }
  const watchedMs = before.watchedMs + Math.min(stepMs, nowMs - before.lastLookMs)
  if (watchedMs >= durationMs) {
    return { do: 'delete', because: `not renewed for its duration of ${durationMs} ms` }
  }
  return {
    do: 'watch',
    observation: { uid, resourceVersion, watchedMs, lastLookMs: nowMs },
    lookAgainMs: Math.min(stepMs, durationMs - watchedMs),
    because: `not renewed for ${Math.floor(watchedMs)} of ${durationMs} ms`,
  }
}

function durationOf({ spec }: Lease): number | undefined {
  const { leaseDurationSeconds, renewTime } = spec ?? {}
  const isComplete = leaseDurationSeconds !== undefined && renewTime !== undefined && renewTime !== null
  return isComplete ? 1000 * leaseDurationSeconds : undefined
}
