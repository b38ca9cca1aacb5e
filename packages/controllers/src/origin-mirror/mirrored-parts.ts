import {
  isServerOfOrigin,
  type ServerStorageVersion,
  type StorageVersion,
  summarizeServers,
} from '@strata/api'

/** The entries of one origin, and all others. */
export function partsOf(
  { status }: StorageVersion,
  origin: string,
): { readonly own: readonly ServerStorageVersion[]; readonly foreign: readonly ServerStorageVersion[] } {
  const entries = status?.storageVersions ?? []
  return {
    own: entries.filter(({ apiServerID }) => isServerOfOrigin(apiServerID, origin)),
    foreign: entries.filter(({ apiServerID }) => !isServerOfOrigin(apiServerID, origin)),
  }
}

/** The summary covers all entries: upstream's validation allows no other. So two origins that differ have no common version. */
export function withServers(
  shown: StorageVersion,
  servers: readonly ServerStorageVersion[],
  now: string,
): StorageVersion {
  const { generation } = shown.metadata
  return { ...shown, status: summarizeServers(sortServers(servers), shown.status, { now, generation }) }
}

export function sortServers(servers: readonly ServerStorageVersion[]): readonly ServerStorageVersion[] {
  return [...servers].sort((a, b) => (a.apiServerID < b.apiServerID ? -1 : 1))
}

/** Fields in a fixed order. The order of entries says nothing, and a server may leave out a list that is empty. */
export function sameServers(a: readonly ServerStorageVersion[], b: readonly ServerStorageVersion[]): boolean {
  const text = (servers: readonly ServerStorageVersion[]): string =>
    JSON.stringify(
      sortServers(servers).map(({ apiServerID, encodingVersion, decodableVersions, servedVersions = [] }) => [
        ...[apiServerID, encodingVersion, decodableVersions, servedVersions],
      ]),
    )
  return text(a) === text(b)
}
