import type { ServerStorageVersion } from '../apiserverinternal/storage-version-types.ts'
import type { AgreementEntry } from './storage-agreement.ts'

/**
 * The entry of a server as a StorageVersion shows it. Upstream's rules allow no entry that encodes what it cannot decode. A voter
 * that cannot write the selected version writes nothing; its entry shows the version that it prefers.
 */
export function shownServer({
  serverID,
  encodingVersion,
  preferredVersion = encodingVersion,
  decodableVersions,
  servedVersions,
}: AgreementEntry): ServerStorageVersion {
  const isDecodable = decodableVersions.includes(encodingVersion)
  return {
    apiServerID: serverID,
    encodingVersion: isDecodable ? encodingVersion : preferredVersion,
    decodableVersions,
    servedVersions,
  }
}
