import { groupResourceText, identityNamespace, isIdentityLease, leases, storageAgreements } from '@strata/api'
import { type Client, type Discovery, isNotFound } from '@strata/client'
import type { FleetFacts } from '@strata/insight'
import { isAggregating } from '../migration/aggregated/observe-aggregated.ts'

/**
 * Leases after records: a server that joins in between then counts as one that has not reported. Discovery before both: a
 * CRD that is created in between then counts as a resource without entries.
 */
export async function observeFleet(client: Client, signal: AbortSignal): Promise<FleetFacts> {
  const discovery = await client.discover(signal)
  const records = await observeRecords(client, discovery, signal)
  const found = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
  return {
    ...{ records: records ?? [], leases: found.items.filter(isIdentityLease), served: servedIn(discovery) },
    ...(records ? {} : { hasRecords: false }),
  }
}

/** Undefined where only aggregated servers have records, as behind kube-apiserver. */
async function observeRecords(
  client: Client,
  { resources }: Discovery,
  signal: AbortSignal,
): Promise<FleetFacts['records'] | undefined> {
  try {
    return (await client.resource(storageAgreements, 'v1alpha1').list({}, signal)).items
  } catch (error) {
    if (isNotFound(error) && isAggregating(resources)) return undefined
    throw error
  }
}

/** Undefined if a part of discovery failed: unknown is not absent. */
export async function observeServed(
  client: Client,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  return servedIn(await client.discover(signal))
}

function servedIn({ resources, failures }: Discovery): ReadonlySet<string> | undefined {
  return failures.length === 0 ? new Set(resources.map(groupResourceText)) : undefined
}
