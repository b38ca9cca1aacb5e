import { createHash } from 'node:crypto'

/**
 * The hash that discovery shows for a storage version: the first eight bytes of SHA-256 over group, version and kind of what
 * is stored, in base64. Clients compare hashes where a cluster does not publish the version itself.
 */
export function storageVersionHash(storedApiVersion: string, kind: string): string {
  const groupVersion = storedApiVersion.includes('/') ? storedApiVersion : `/${storedApiVersion}`
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64')
}
