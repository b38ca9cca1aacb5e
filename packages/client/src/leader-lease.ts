import type { Lease } from '@strata/api'
import { type Clock, microTimestamp } from '@strata/world'
import { decideCandidacy } from './decide-candidacy.ts'
import { isAbsence, isConflict } from './errors.ts'
import type { ResourceClient } from './resource-client.ts'

export interface LeaderLeaseOptions {
  readonly leases: ResourceClient<Lease>
  readonly clock: Clock
  readonly namespace: string
  readonly name: string
  /** Unique to this run of this process. */
  readonly identity: string
  readonly leaseDurationMs: number
}

export interface Claim {
  readonly held: boolean
  /** Another candidate was seen to hold the Lease; false after a lost race. */
  readonly heldByOther: boolean
  readonly because: string
}

/** The Lease of the leader, as one candidate sees it. */
export class LeaderLease {
  readonly #options: LeaderLeaseOptions
  #seen: { readonly lease: Lease | undefined; readonly sinceMs: number } | undefined

  constructor(options: LeaderLeaseOptions) {
    this.#options = options
  }

  /** Reads the Lease, and takes or renews it if allowed. Throws if a request fails; a lost race is no failure. */
  async claim(signal: AbortSignal): Promise<Claim> {
    const { identity, clock, leaseDurationMs, leases } = this.#options
    const lease = await this.#read(signal)
    const nowMs = clock.monotonicMs()
    const unchangedSinceMs = this.#seen?.sinceMs ?? nowMs
    const decision = decideCandidacy({ identity, nowMs, lease, unchangedSinceMs, leaseDurationMs })
    const { because } = decision
    if (decision.do === 'wait') return { held: false, heldByOther: true, because }
    try {
      const wanted = this.#claimed(lease, decision.do === 'renew')
      this.#note(await (lease ? leases.update(wanted, signal) : leases.create(wanted, signal)))
      return { held: true, heldByOther: false, because }
    } catch (error) {
      if (!isConflict(error)) throw error
      return { held: false, heldByOther: false, because: 'another candidate wrote the Lease first' }
    }
  }

  /** Releases the Lease if this process holds it, so that the next leader need not wait for it to expire. */
  async release(signal: AbortSignal): Promise<void> {
    const { identity, clock, leases } = this.#options
    const lease = await this.#read(signal)
    if (lease?.spec?.holderIdentity !== identity) return
    const { holderIdentity: _, ...spec } = lease.spec
    const renewTime = microTimestamp(clock)
    await leases.update({ ...lease, spec: { ...spec, leaseDurationSeconds: 1, renewTime } }, signal)
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { leases, namespace, name } = this.#options
    try {
      return this.#note(await leases.get({ namespace, name }, signal))
    } catch (error) {
      if (!isAbsence(error, leases.address, name)) throw error
      return this.#note(undefined)
    }
  }

  /** The age of a state counts from when this process first saw it, not from when it was written. */
  #note(lease: Lease | undefined): Lease | undefined {
    const before = this.#seen?.lease?.metadata
    const { uid, resourceVersion } = lease?.metadata ?? {}
    if (!this.#seen || before?.uid !== uid || before?.resourceVersion !== resourceVersion) {
      this.#seen = { lease, sinceMs: this.#options.clock.monotonicMs() }
    }
    return lease
  }

  #claimed(before: Lease | undefined, renews: boolean): Lease {
    const { namespace, name, identity, leaseDurationMs, clock } = this.#options
    const now = microTimestamp(clock)
    const transitions = before?.spec?.leaseTransitions ?? 0
    return {
      ...before,
      metadata: before?.metadata ?? { namespace, name },
      spec: {
        ...before?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: Math.max(1, Math.round(leaseDurationMs / 1000)),
        acquireTime: renews ? (before?.spec?.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: before && !renews ? transitions + 1 : transitions,
      },
    }
  }
}
