import { createHash } from 'node:crypto'
import type { Codec } from './codec.ts'

/** Raised whenever the bytes of the same object change. */
const codecFormat = 2

/**
 * Identifies what decides the bytes besides the version: schema, defaults, codec. Servers of different releases may write the
 * same version differently; migration and proof wait until the fingerprints are equal (docs/design/agreement.md, rule 16).
 */
export function encoderFingerprint(codec: Codec, apiVersion: string): string {
  const known = fingerprints.get(codec) ?? new Map<string, string>()
  fingerprints.set(codec, known)
  const fingerprint = known.get(apiVersion) ?? fingerprintOf(codec, apiVersion)
  known.set(apiVersion, fingerprint)
  return fingerprint
}

/** A codec is immutable, and serializing the schemas of some custom resources takes milliseconds. */
const fingerprints = new WeakMap<Codec, Map<string, string>>()

function fingerprintOf(codec: Codec, apiVersion: string): string {
  const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const schema = codec.definition.versions[versionName]?.schema
  return createHash('sha256')
    .update(JSON.stringify([codecFormat, apiVersion, schema], decidingBytes()))
    .digest('base64url')
    .slice(0, 16)
}

/**
 * Descriptions of a schema decide no bytes. A field may be named description, too; its schema is not a string. A schema that
 * contains itself is written as the distance to where it began.
 */
function decidingBytes(): (this: unknown, key: string, value: unknown) => unknown {
  const above: unknown[] = []
  return function (key, value) {
    if (key === 'x-strata-type' || (key === 'description' && typeof value === 'string')) return undefined
    if (typeof value !== 'object' || value === null) return value
    while (above.length > 0 && above.at(-1) !== this) above.pop()
    const began = above.lastIndexOf(value)
    if (began >= 0) return `${above.length - began} up`
    above.push(value)
    return value
  }
}
