import { identityNamespace, type Lease } from '@strata/api'
import { isAbsence, type ResourceClient } from '@strata/client'
import type { LeaseKnowledge } from './decide-entries.ts'

export interface LeaseObservation {
  /** `present` for servers that were not suspects. */
  readonly leaseOf: (serverID: string) => LeaseKnowledge
  /** The error of the last failed read, to be retried. */
  readonly failure: unknown
}

/** Reads the Lease of each suspect: a lagging watch would otherwise remove a server that has just started. */
export async function observeLeases(
  leases: ResourceClient<Lease>,
  suspects: readonly string[],
  signal: AbortSignal,
  /** Whether an existing Lease counts as the identity of a server. */
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
