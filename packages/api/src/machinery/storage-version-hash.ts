import { createHash } from 'node:crypto'

/**
 * KEP "exposing hashed storage versions via the discovery API", as shipped: the first eight bytes of SHA-256 over
 * group/version/kind of the stored object. Clients compare hashes where a cluster does not publish the version itself.
 */
export function storageVersionHash(storedApiVersion: string, kind: string): string {
  const groupVersion = storedApiVersion.includes('/') ? storedApiVersion : `/${storedApiVersion}`
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64')
}
