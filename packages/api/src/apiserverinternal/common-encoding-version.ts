import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from './storage-version-types.ts'

/** The one condition that there is. */
const allEqual = 'AllEncodingVersionsEqual'

/** The version that all servers name, if there is one. */
export function commonEncodingVersion(
  servers: readonly Pick<ServerStorageVersion, 'encodingVersion'>[],
): string | undefined {
  const [first, ...rest] = servers
  return first && rest.every((each) => each.encodingVersion === first.encodingVersion)
    ? first.encodingVersion
    : undefined
}

/**
 * The status that follows from these entries and the previous status, as upstream computes it. The transition time also moves
 * when one common version follows another (docs/reference/upstream-behaviour.md, A4 to A14). Conditions of other types stay.
 */
export function summarizeServers(
  servers: readonly ServerStorageVersion[],
  previous: StorageVersionStatus | undefined,
  { now, generation }: { readonly now: string; readonly generation?: number | undefined },
): StorageVersionStatus {
  const common = commonEncodingVersion(servers)
  const conditions = previous?.conditions ?? []
  const before = conditions.find(({ type }) => type === allEqual)
  const status = common === undefined ? 'False' : 'True'
  const switched =
    common !== undefined &&
    previous?.commonEncodingVersion !== undefined &&
    previous.commonEncodingVersion !== common
  const moved = before?.status !== status || switched
  const condition: StorageVersionCondition = {
    type: allEqual,
    status,
    ...(generation ? { observedGeneration: generation } : {}),
    lastTransitionTime: moved ? now : (before?.lastTransitionTime ?? now),
    reason: common === undefined ? 'CommonEncodingVersionUnset' : 'CommonEncodingVersionSet',
    message: common === undefined ? 'Common encoding version unset' : 'Common encoding version set',
  }
  return {
    storageVersions: servers,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: before
      ? conditions.map((each) => (each === before ? condition : each))
      : [...conditions, condition],
  }
}
