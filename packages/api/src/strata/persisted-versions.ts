import type { AgreementStatus } from './storage-agreement.ts'

/** Of persisted versions that nobody knows; as in a StorageState. Nobody may rely on a list that contains it. */
export const unknownVersion = 'Unknown'

/**
 * The encoding versions that stored objects of a resource may be in, as its agreement record remembers them. A record
 * that was written before anyone remembered says nothing, which is not that nothing is stored.
 */
export function persistedVersionsOf({
  persistedVersions,
}: Pick<AgreementStatus, 'persistedVersions'>): readonly string[] {
  return persistedVersions ?? [unknownVersion]
}
