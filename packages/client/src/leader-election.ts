import type { Lease } from '@strata/api'
import { type Cancel, type Clock, deadline, jitter, type Log, type Random, sleep } from '@strata/world'
import { type Claim, LeaderLease } from './leader-lease.ts'
import type { ResourceClient } from './resource-client.ts'

export interface LeaderElectionOptions {
  readonly leases: ResourceClient<Lease>
  readonly world: { readonly clock: Clock; readonly random: Random; readonly log: Log }
  readonly namespace?: string
  readonly name: string
  /** Unique to this run of this process: after a restart it is a new candidate. */
  readonly identity: string
  readonly leaseDurationMs?: number
  /** A leader that has not renewed for so long stops. Shorter than the Lease, so that it stops before another starts. */
  readonly renewDeadlineMs?: number
  readonly retryPeriodMs?: number
}

export const leaderElectionDefaults = {
  namespace: 'kube-system',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
} as const

/** The reason why the work is stopped: this process can no longer prove that it is the only leader. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost'
}

/** `finished`: the work ended by itself. `stopped`: the caller's signal. `lost`: campaign again. */
export type LeadershipEnd = 'finished' | 'stopped' | 'lost'

/**
 * Waits to become the leader, then runs `work` until it ends, leadership is lost, or the signal is aborted. Returns only
 * after `work` has ended, and releases the Lease if it still holds it.
 *
 * The work's signal is aborted `renewDeadlineMs` after the last successful renewal was *sent*. Other candidates count
 * `leaseDurationMs` from when they *saw* it, which is later. So this process stops before another one starts, unless a
 * clock runs wrong by the ratio of the two. A request that is already on its way cannot be called back: safety must come
 * from preconditions. Leadership only avoids double work.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<LeadershipEnd> {
  const candidate = new Candidate(options)
  const provenUntilMs = await candidate.campaign(signal)
  if (provenUntilMs === undefined) return 'stopped'

  const term = new AbortController()
  const onStop = (): void => term.abort(signal.reason)
  signal.addEventListener('abort', onStop, { once: true })
  if (signal.aborted) onStop()
  const renewing = candidate.renewWhile(term, provenUntilMs)
  try {
    await work(term.signal)
  } catch (error) {
    // Work that is stopped usually throws the reason of the signal; any other error is its own failure.
    if (!term.signal.aborted || error !== term.signal.reason) throw error
  } finally {
    signal.removeEventListener('abort', onStop)
    term.abort(new Error('the work has ended'))
    await renewing
    if (!(term.signal.reason instanceof LeadershipLost)) await candidate.release()
  }
  if (term.signal.reason instanceof LeadershipLost) return 'lost'
  return signal.aborted ? 'stopped' : 'finished'
}

class Candidate {
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Log
  readonly #lease: LeaderLease
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number

  constructor(options: LeaderElectionOptions) {
    const { world, leases, name, identity } = options
    const settings = { ...leaderElectionDefaults, ...options }
    const { namespace, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = settings
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs)) {
      throw new TypeError('leader election: leaseDurationMs > renewDeadlineMs > retryPeriodMs must hold')
    }
    this.#clock = world.clock
    this.#random = world.random
    this.#log = world.log.with({ lease: name, identity })
    this.#renewDeadlineMs = renewDeadlineMs
    this.#retryPeriodMs = retryPeriodMs
    this.#lease = new LeaderLease({ leases, clock: world.clock, namespace, name, identity, leaseDurationMs })
  }

  /** Waits for the Lease. Returns until when leadership is proven, or undefined if the signal was aborted before. */
  async campaign(signal: AbortSignal): Promise<number | undefined> {
    let logged: string | undefined
    while (!signal.aborted) {
      const { claim, provenUntilMs } = await this.#claim(this.#renewDeadlineMs, signal)
      if (claim?.held && this.#clock.monotonicMs() < provenUntilMs) {
        this.#log.info('leading', { because: claim.because })
        return provenUntilMs
      }
      // Once for each leader, so that the silence of a standby does not look like a fault.
      if (claim?.heldByOther && claim.because !== logged) {
        this.#log.info('standing by; another process leads', { because: claim.because })
        logged = claim.because
      } else if (claim) this.#log.debug('not leading', { because: claim.because })
      // One to 2.2 periods: candidates that wait for the same expiry must not all come at once.
      const waitMs = this.#retryPeriodMs * (1 + 1.2 * this.#random.fraction())
      await sleep(this.#clock, waitMs, signal).catch(() => {})
    }
    return undefined
  }

  /** Ends the term as soon as leadership can no longer be proven. Never rejects. */
  async renewWhile(term: AbortController, provenUntilMs: number): Promise<void> {
    const { signal } = term
    const lose = (because: string): void => {
      if (!signal.aborted) this.#log.warn('no longer leading', { because })
      term.abort(new LeadershipLost(because))
    }
    const expiry = (untilMs: number): Cancel =>
      this.#clock.after(untilMs - this.#clock.monotonicMs(), () =>
        lose('the Lease could not be renewed in time'),
      )
    let cancel = expiry(provenUntilMs)
    while (!signal.aborted) {
      await sleep(this.#clock, jitter(this.#random, this.#retryPeriodMs, 0.1), signal).catch(() => {})
      if (signal.aborted) break
      const next = await this.#claim(this.#renewDeadlineMs, signal)
      if (next.claim?.heldByOther) lose(next.claim.because)
      if (!next.claim?.held) continue
      cancel()
      // After a freeze even a success may come too late to prove anything: the timer has just not fired yet.
      if (this.#clock.monotonicMs() >= next.provenUntilMs) lose('the renewal took too long')
      else cancel = expiry(next.provenUntilMs)
    }
    cancel()
  }

  async release(): Promise<void> {
    const limit = deadline(this.#clock, this.#retryPeriodMs)
    try {
      await this.#lease.release(limit.signal)
      this.#log.info('released the Lease')
    } catch (error) {
      this.#log.warn('could not release the Lease; it will expire', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }

  async #claim(
    withinMs: number,
    signal: AbortSignal,
  ): Promise<{ claim: Claim | undefined; provenUntilMs: number }> {
    const provenUntilMs = this.#clock.monotonicMs() + this.#renewDeadlineMs
    const limit = deadline(this.#clock, withinMs, signal)
    try {
      return { claim: await this.#lease.claim(limit.signal), provenUntilMs }
    } catch (error) {
      if (!signal.aborted) this.#log.warn('could not claim the Lease', { error: String(error) })
      return { claim: undefined, provenUntilMs }
    } finally {
      limit.dispose()
    }
  }
}
