import { createHash } from 'node:crypto'

/**
 * What discovery shows for a storage version (seed 002, as shipped): the first eight bytes of SHA-256 over group, version
 * and kind. Seed 003 would have StorageStates compared with StorageVersions, but one has hashes and the other has
 * versions; so versions are hashed first.
 */
export function storageVersionHash(encodingVersion: string, kind: string): string {
  const groupVersion = encodingVersion.includes('/') ? encodingVersion : `/${encodingVersion}`
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64')
}

/** The same, as a part of a name. */
export function hashInName(hash: string): string {
  return Buffer.from(hash, 'base64').toString('hex') || Buffer.from(hash).toString('hex')
}
