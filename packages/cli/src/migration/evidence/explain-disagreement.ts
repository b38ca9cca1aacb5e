import {
  ApiError,
  agreementName,
  type GroupResource,
  groupResourceText,
  identityNamespace,
  isIdentityLease,
  type Lease,
  leases,
  type StorageAgreement,
  storageAgreements,
} from '@strata/api'
import type { Client } from '@strata/client'
import type { TargetDecision } from '@strata/controllers'
import {
  describeResource,
  describeServers,
  findLackedKeys,
  namedServers,
  type ServerStatus,
} from '@strata/insight'

/** The facts that `strata status` shows for one resource. */
export interface RecordAndLeases {
  readonly record: StorageAgreement
  readonly leases: readonly Lease[]
}

/** Undefined if there is no record, or it may not be read: the command answers without it. */
export async function observeResource(
  client: Client,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<RecordAndLeases | undefined> {
  try {
    const record = await client
      .resource(storageAgreements, 'v1alpha1')
      .get({ name: agreementName(resource) }, signal)
    const found = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
    return { record, leases: found.items.filter(isIdentityLease) }
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) throw error
    return undefined
  }
}

/**
 * Why there is no agreement, in the words of `strata status`, which name servers as people do and say what to do. The record
 * itself speaks to programs: of encodings and ids.
 */
export function explainDisagreement(
  decision: TargetDecision,
  { record, leases: found }: RecordAndLeases,
  nowMs: number,
): TargetDecision {
  if (decision.agreed) return decision
  const servers = serversOf({ record, leases: found }, nowMs)
  const { problems, refusals } = describeResource(record, servers)
  const words = decision.isAboutCrd || problems.length === 0 ? [] : [...refusals, ...problems]
  const because = words.length === 0 ? namedServers(decision.because, servers) : words.join('; ')
  return { ...decision, because }
}

/** Servers that cannot open all that may be stored, and what to do. */
export function lackedKeyTexts(sight: RecordAndLeases, nowMs: number): readonly string[] {
  return findLackedKeys(sight.record.status, serversOf(sight, nowMs))
}

/** Whether the Lease of every server says that it refuses the resource, because it cannot read all stored objects. */
export function isRefusedByAll(sight: RecordAndLeases, resource: GroupResource, nowMs: number): boolean {
  const name = groupResourceText(resource)
  const servers = serversOf(sight, nowMs)
  return servers.length > 0 && servers.every(({ refuses }) => refuses?.includes(name))
}

function serversOf({ record, leases: found }: RecordAndLeases, nowMs: number): ServerStatus[] {
  const withEntries = record.status.servers.map(({ serverID }) => serverID)
  return describeServers(found, withEntries, nowMs)
}
