import { identityNamespace, type Lease } from '@strata/api'
import { isAbsence, type ResourceClient } from '@strata/client'
import type { LeaseKnowledge } from './decide-entries.ts'

export interface LeaseObservation {
  /** Servers that were not asked about are taken to be there. */
  readonly leaseOf: (serverID: string) => LeaseKnowledge
  /** Of the last read that failed, to be tried again. */
  readonly failure: unknown
}

/** A live read for each suspect: a watch that lags would make us expel a server that has just come. */
export async function observeLeases(
  leases: ResourceClient<Lease>,
  suspects: readonly string[],
  signal: AbortSignal,
  /** Of a Lease that is there, whether a server can live by it. */
  counts: (lease: Lease) => boolean = () => true,
): Promise<LeaseObservation> {
  const seen = new Map<string, LeaseKnowledge>()
  let failure: unknown
  for (const name of suspects) {
    try {
      const lease = await leases.get({ namespace: identityNamespace, name }, signal)
      seen.set(name, counts(lease) ? 'present' : 'absent')
    } catch (error) {
      const absent = isAbsence(error, leases.address, name)
      seen.set(name, absent ? 'absent' : 'unknown')
      if (!absent) failure = error
    }
  }
  return { leaseOf: (serverID) => seen.get(serverID) ?? 'present', failure }
}
