import { isServerLease, type Lease } from '@strata/api'
import { compareResourceVersions, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Clock, Log } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { decideLease, type LeaseDecision, type LeaseObservation } from './decide-lease.ts'

export interface IdentityLeaseCollectorOptions {
  readonly leases: ResourceClient<Lease>
  /** The store of the informer. It may lag, so it is never the only reason for a deletion. */
  readonly known: ReadonlyMap<string, Lease>
  readonly clock: Clock
  readonly log: Log
  readonly defaultDurationMs: number
}

/** Deletes expired identity Leases, and those of aggregated servers by the same rule. Keys are `namespace/name`. */
export function createIdentityLeaseCollector(options: IdentityLeaseCollectorOptions): Reconciler {
  const { leases, known, clock, log, defaultDurationMs } = options
  const observations = new Map<string, LeaseObservation>()

  /** Throws if the read fails. The next successful read counts the time since the last one, up to a quarter of the duration. */
  const read = async (key: string, signal: AbortSignal): Promise<Lease | undefined> => {
    const [namespace = '', name = ''] = key.split('/')
    try {
      return await leases.get({ namespace, name }, signal)
    } catch (error) {
      if (isAbsence(error, leases.address, name)) return undefined
      throw error
    }
  }

  const decide = (key: string, lease: Lease | undefined): LeaseDecision => {
    const before = observations.get(key)
    const isIdentity = lease !== undefined && isServerLease(lease)
    const decision = decideLease({ lease, isIdentity, before, nowMs: clock.monotonicMs(), defaultDurationMs })
    if (decision.do === 'watch') observations.set(key, decision.observation)
    // The observation is kept until the Lease is gone, because the deletion may fail.
    if (decision.do === 'forget') observations.delete(key)
    return decision
  }

  const remove = async (lease: Lease, signal: AbortSignal): Promise<Settled> => {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = lease.metadata
    try {
      // The preconditions complete the proof: the Lease has not changed from the first read until the deletion. Without
      // them: the server renews between the last read and the deletion, and a live server is removed.
      await leases.delete({ namespace, name }, { preconditions: { uid, resourceVersion } }, signal)
      return undefined
    } catch (error) {
      if (!isConflict(error) && !isAbsence(error, leases.address, name)) throw error
      log.info('the Lease changed meanwhile; retrying', { lease: name, error: String(error) })
      return { lookAgainMs: 0 }
    }
  }

  return {
    reconcile: async (key, signal) => {
      const cached = known.get(key)
      // A newer state from the watch is enough to restart the observation, and saves a request per renewal.
      const lease = cached && isNewer(cached, observations.get(key)) ? cached : await read(key, signal)
      const { because, ...decision } = decide(key, lease)
      switch (decision.do) {
        case 'forget':
          log.debug('identity Lease checked', { lease: key, do: decision.do, because })
          return undefined
        case 'watch':
          log.debug('identity Lease checked', { lease: key, do: decision.do, because })
          return { lookAgainMs: decision.lookAgainMs }
        case 'delete':
          log.info('deleting an identity Lease', { lease: key, because, holder: lease?.spec?.holderIdentity })
          return lease ? remove(lease, signal) : undefined
      }
    },
  }
}

/**
 * True only if the state is certainly newer. Otherwise a stalled watch would restart the observation with an old state each
 * time, and no Lease would ever expire.
 */
function isNewer({ metadata }: Lease, seen: LeaseObservation | undefined): boolean {
  if (seen?.resourceVersion === undefined || metadata.resourceVersion === undefined) return true
  return (compareResourceVersions(metadata.resourceVersion, seen.resourceVersion) ?? 0) > 0
}
