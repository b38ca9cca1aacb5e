import {
  agreementName,
  type GroupResource,
  groupResourceText,
  type StorageAgreement,
  type StorageVersion,
  serviceUnavailable,
  storageVersions,
} from '@strata/api'
import type { Client, Discovery } from '@strata/client'
import type { OriginObservation } from './decide-origin.ts'
import { groupOf } from './group-of.ts'
import { type Observed, observe } from './observed.ts'
import { findOrigin } from './origin.ts'

/**
 * Reads the record of a resource where aggregated servers store it; undefined if no aggregated server has records of its group.
 * Throws if one cannot be reached: then nothing is known, and a weaker source must not be used instead.
 */
export async function observeOrigin(
  client: Client,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<OriginObservation | undefined> {
  // No APIService can assign the core group.
  if (resource.group === '') return undefined
  return readOrigin(client, resource, await client.discoverGroup(resource.group, signal), signal)
}

/** The same, with what discovery has said already. */
export async function readOrigin(
  client: Client,
  resource: GroupResource,
  { resources, failures }: Discovery,
  signal: AbortSignal,
): Promise<OriginObservation | undefined> {
  const failed = failures.find(({ groupVersion }) => groupOf(groupVersion) === resource.group)
  if (failed) throw serviceUnavailable(`discovery of ${failed.groupVersion} failed: ${failed.why}`)
  const origin = findOrigin(resource, resources)
  if (origin.kind === 'none') return undefined
  if (origin.kind === 'refused') return origin
  const name = agreementName(resource)
  const [mirror, ...records] = await Promise.all([
    observeMirror(client, name, signal),
    ...origin.records.map(
      async (each) =>
        [each.versionName, await observe(client.resource<StorageAgreement>(each), name, signal)] as const,
    ),
  ])
  return { kind: 'read', records: new Map(records), mirror }
}

/**
 * Without rights, a kube-apiserver answers 403 also for a kind that it does not serve. Discovery tells the two apart: where
 * StorageVersions are not served, no store is shown in them.
 */
async function observeMirror(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<Observed<StorageVersion>> {
  const seen = await observe(client.resource<StorageVersion>(storageVersions, 'v1alpha1'), name, signal)
  if (seen.kind !== 'hidden') return seen
  const { resources, failures } = await client.discoverGroup(storageVersions.group, signal)
  return servesMirrors(resources) || failures.length > 0 ? seen : { kind: 'absent' }
}

/** Whether the aggregator serves the StorageVersions in which aggregated servers show their records. */
export function servesMirrors(resources: Discovery['resources']): boolean {
  return resources.some((each) => groupResourceText(each) === groupResourceText(storageVersions))
}
