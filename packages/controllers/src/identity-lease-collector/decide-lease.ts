import type { Lease } from '@strata/api'

/** One state of one Lease, and for how long this observer has seen it unchanged. */
export interface LeaseObservation {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** The time between successful reads, on the observer's own monotonic clock. */
  readonly watchedMs: number
  readonly lastLookMs: number
}

export type LeaseDecision =
  /** Not an identity Lease, or gone: nothing to remember. */
  | { readonly do: 'forget'; readonly because: string }
  | {
      readonly do: 'watch'
      readonly observation: LeaseObservation
      readonly lookAgainMs: number
      readonly because: string
    }
  | { readonly do: 'delete'; readonly because: string }

export interface LeaseLook {
  /** As just read from the server, or newer from the informer. Undefined: it is certainly absent. */
  readonly lease: Lease | undefined
  readonly isIdentity: boolean
  readonly before: LeaseObservation | undefined
  readonly nowMs: number
  /** For Leases without a duration or without renewTime. */
  readonly defaultDurationMs: number
}

const looksPerDuration = 4

/** A longer duration counts as this: a Lease with years would otherwise count as a live server for years. */
const longestDurationMs = 24 * 3_600_000

/**
 * Whether a server's Lease has expired, so that the server is expelled (docs/design/agreement.md, rule 8): a killed, cut off or
 * frozen server. This observer has seen the Lease unchanged for its whole duration, on its own monotonic clock. It does not read
 * the times inside, which another machine wrote. If renewTime or the duration is missing, upstream treats the Lease as expired
 * at once (docs/reference/upstream-behaviour.md, N11). Here it gets the default duration, because the server may just be
 * starting.
 *
 * Each successful read counts for at most a quarter of the duration. Otherwise: (1) the store is down for two hours, or the
 * machine is paused; (2) the collector reads the Leases before the servers have renewed them; (3) every Lease looks expired,
 * and the collector removes the whole live fleet.
 */
export function decideLease({
  lease,
  isIdentity,
  before,
  nowMs,
  defaultDurationMs,
}: LeaseLook): LeaseDecision {
  if (!lease) return { do: 'forget', because: 'it is gone' }
  if (!isIdentity) return { do: 'forget', because: 'it is not an identity Lease' }
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
