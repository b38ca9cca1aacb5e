import { createHash } from 'node:crypto'

/** Seed 002, as shipped: the first eight bytes of SHA-256 over group/version/kind of what is stored. */
export function storageVersionHash(storedApiVersion: string, kind: string): string {
  const groupVersion = storedApiVersion.includes('/') ? storedApiVersion : `/${storedApiVersion}`
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64')
}
