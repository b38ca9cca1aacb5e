import {
  type AgreementEntry,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  type Lease,
  leases,
  releaseAnnotation,
  type StorageAgreement,
} from '@strata/api'
import { type Client, isForbidden } from '@strata/client'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * What a release reads, by the agreement records of the servers that run it. Each server has an entry in the record of every
 * kind that it has. Two servers of one release may have different kinds, so only resources with an entry from each of them
 * count, with the versions that all of them read. Custom resources are left out: their CRD says what is read.
 */
export function declaredByFleet(
  release: string,
  identities: readonly Lease[],
  agreements: readonly StorageAgreement[],
): readonly DeclaredResource[] {
  const servers = identities.filter(({ metadata }) => metadata.annotations?.[releaseAnnotation] === release)
  return agreements.flatMap(({ spec: { group, resource }, status }) => {
    const entries = servers.flatMap(({ metadata }): readonly AgreementEntry[] =>
      status.servers.filter(({ serverID }) => serverID === metadata.name),
    )
    const [first, ...others] = entries
    if (first === undefined || entries.length < servers.length || entries.some(({ isCustom }) => isCustom)) {
      return []
    }
    const isReadByAll = (each: string): boolean =>
      others.every((other) => other.decodableVersions.includes(each))
    return [{ group, resource, decodableVersions: first.decodableVersions.filter(isReadByAll) }]
  })
}

/** The identity Leases of the fleet. Without permission to list them: none, and the user has to declare more. */
export async function observeIdentities(client: Client, signal: AbortSignal): Promise<readonly Lease[]> {
  const labelSelector = `${identityLabel}=${identityLabelValue}`
  try {
    const options = { namespace: identityNamespace, labelSelector }
    return (await client.resource(leases, 'v1').list(options, signal)).items
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}
