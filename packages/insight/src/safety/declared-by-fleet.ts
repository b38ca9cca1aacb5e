import {
  type AgreementEntry,
  type GroupResource,
  type Lease,
  releaseAnnotation,
  type StorageAgreement,
} from '@strata/api'

/** The versions of one resource that a release can read, as declared by the user, the fleet or a program. */
export interface DeclaredResource extends GroupResource {
  /** With the group: `apps/v1`. */
  readonly decodableVersions: readonly string[]
}

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
