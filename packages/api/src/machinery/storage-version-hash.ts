import { sha256 } from './sha256.ts'

/**
 * KEP "exposing hashed storage versions via the discovery API", as shipped: the first eight bytes of SHA-256 over
 * group/version/kind of the stored object. Clients compare hashes where a cluster does not publish the version itself.
 */
export function storageVersionHash(storedApiVersion: string, kind: string): string {
  const groupVersion = storedApiVersion.includes('/') ? storedApiVersion : `/${storedApiVersion}`
  const digest = sha256(new TextEncoder().encode(`${groupVersion}/${kind}`))
  return btoa(String.fromCharCode(...digest.subarray(0, 8)))
}
