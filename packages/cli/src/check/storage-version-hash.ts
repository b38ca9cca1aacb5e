import { createHash } from 'node:crypto'

/**
 * As discovery and StorageStates name a version (seed 002): of a cluster that tells no more, this is all that can be
 * compared.
 */
export function storageVersionHash(apiVersion: string, kind: string): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  return createHash('sha256').update(`${groupVersion}/${kind}`).digest().subarray(0, 8).toString('base64')
}
