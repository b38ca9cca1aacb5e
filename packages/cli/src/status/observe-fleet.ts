import { groupResourceText, identityNamespace, isIdentityLease, leases, storageAgreements } from '@strata/api'
import type { Client } from '@strata/client'
import type { FleetFacts } from './fleet-status.ts'

/**
 * Leases after records: a server that joins in between then counts as one that has not reported. Discovery before both: a
 * CRD that is created in between then counts as a resource without entries.
 */
export async function observeFleet(client: Client, signal: AbortSignal): Promise<FleetFacts> {
  const served = await observeServed(client, signal)
  const records = await client.resource(storageAgreements, 'v1alpha1').list({}, signal)
  const found = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
  return { records: records.items, leases: found.items.filter(isIdentityLease), served }
}

/** Undefined if a part of discovery failed: unknown is not absent. */
export async function observeServed(
  client: Client,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const { resources, failures } = await client.discover(signal)
  return failures.length === 0 ? new Set(resources.map(groupResourceText)) : undefined
}
