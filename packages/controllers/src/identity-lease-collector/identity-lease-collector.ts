import { isIdentityLease, type Lease } from '@strata/api'
import { compareResourceVersions, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Clock, Log } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { decideLease, type LeaseDecision, type LeaseObservation } from './decide-lease.ts'

export interface IdentityLeaseCollectorOptions {
  readonly leases: ResourceClient<Lease>
  /** What the watch has told. It may lag, so nothing is deleted on its word alone. */
  readonly known: ReadonlyMap<string, Lease>
  readonly clock: Clock
  readonly log: Log
  readonly defaultDurationMs: number
}

/** Deletes the Leases of servers that have stopped renewing them. Keys are `namespace/name`. */
export function createIdentityLeaseCollector(options: IdentityLeaseCollectorOptions): Reconciler {
  const { leases, known, clock, log, defaultDurationMs } = options
  const observations = new Map<string, LeaseObservation>()

  /** Throws when the server cannot tell: then nothing is learnt, and no time has been watched. */
  const look = async (key: string, signal: AbortSignal): Promise<Lease | undefined> => {
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
    const isIdentity = lease !== undefined && isIdentityLease(lease)
    const decision = decideLease({ lease, isIdentity, before, nowMs: clock.monotonicMs(), defaultDurationMs })
    if (decision.do === 'watch') observations.set(key, decision.observation)
    // What was watched is kept until the Lease is seen to be gone, for the deletion itself may fail.
    if (decision.do === 'forget') observations.delete(key)
    return decision
  }

  const expel = async (lease: Lease, signal: AbortSignal): Promise<Settled> => {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = lease.metadata
    try {
      // The preconditions make the proof whole: the Lease has not changed from our first look until its end.
      // Without them: the server renews between our last look and the deletion, and is expelled alive.
      await leases.delete({ namespace, name }, { preconditions: { uid, resourceVersion } }, signal)
      return undefined
    } catch (error) {
      if (!isConflict(error) && !isAbsence(error, leases.address, name)) throw error
      log.info('overtaken; looking again', { lease: name, error: String(error) })
      return { lookAgainMs: 0 }
    }
  }

  return {
    reconcile: async (key, signal) => {
      const told = known.get(key)
      // News from the watch is enough to begin again, and spares a request for each renewal of each server.
      const lease = told && isNewer(told, observations.get(key)) ? told : await look(key, signal)
      const { because, ...decision } = decide(key, lease)
      switch (decision.do) {
        case 'forget':
          log.debug('decided', { lease: key, do: decision.do, because })
          return undefined
        case 'watch':
          log.debug('decided', { lease: key, do: decision.do, because })
          return { lookAgainMs: decision.lookAgainMs }
        case 'delete':
          log.info('decided', { lease: key, do: decision.do, because, holder: lease?.spec?.holderIdentity })
          return lease ? expel(lease, signal) : undefined
      }
    },
  }
}

/**
 * Only what is certainly newer: a watch that has stalled would otherwise, look after look, lead us back to a
 * state that we know to be past, and no Lease would ever expire.
 */
function isNewer({ metadata }: Lease, seen: LeaseObservation | undefined): boolean {
  if (seen?.resourceVersion === undefined || metadata.resourceVersion === undefined) return true
  return (compareResourceVersions(metadata.resourceVersion, seen.resourceVersion) ?? 0) > 0
}
