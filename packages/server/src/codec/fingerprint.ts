import { createHash } from 'node:crypto'
import type { Codec } from './codec.ts'

/** Raised whenever the form of the bytes changes for the same object. */
const codecFormat = 2

/**
 * Names what decides the bytes besides the version: schema, defaults, codec. Two servers of different
 * releases may write the same version differently; migration and proof wait until the fingerprints are
 * equal (agreement.md, rule 16).
 */
export function encoderFingerprint(codec: Codec, apiVersion: string): string {
  const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const schema = codec.definition.versions[versionName]?.schema
  return createHash('sha256')
    .update(JSON.stringify([codecFormat, apiVersion, schema], withoutWords))
    .digest('base64url')
    .slice(0, 16)
}

/** What is said about a schema decides no bytes. A field may be called description too; its schema is no string. */
function withoutWords(key: string, value: unknown): unknown {
  return key === 'x-strata-type' || (key === 'description' && typeof value === 'string') ? undefined : value
}
