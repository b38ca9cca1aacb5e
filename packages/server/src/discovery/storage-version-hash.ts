import { createHash } from 'node:crypto'
import { versionNameOf } from '@strata/api'

/** Seed 002, as shipped: the first eight bytes of SHA-256 over group/version/kind of what is stored. */
export function storageVersionHash(group: string, storedApiVersion: string, kind: string): string {
  return createHash('sha256')
    .update(`${group}/${versionNameOf(storedApiVersion)}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64')
}
