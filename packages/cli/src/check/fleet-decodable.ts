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
import type { ToldResource } from './told-decodable.ts'

/**
 * What a release reads, as those servers of the fleet say that are of it: each has an entry in every agreement record of a
 * kind that its program has. Two of one release may have been started with different kinds, so that only what each of them
 * has told counts, and of that what all of them read. Custom resources are read as their definitions say.
 */
export function toldByFleet(
  release: string,
  identities: readonly Lease[],
  agreements: readonly StorageAgreement[],
): readonly ToldResource[] {
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

/** Everybody who is part of the fleet, or was until a moment ago. Whoever may not see them has to be told more. */
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
