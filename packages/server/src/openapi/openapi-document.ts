import { createHash } from 'node:crypto'
import type { Json } from './components.ts'

export interface OpenApiDocument {
  readonly body: Uint8Array
  /** Upper-case hex of a SHA-512, unique to the document. */
  readonly hash: string
}

export function documentOf(value: Json): OpenApiDocument {
  return hashed(Buffer.from(JSON.stringify(value)))
}

/** Hashes the body itself. */
export function hashed(body: Uint8Array): OpenApiDocument {
  return { body, hash: hashOf(body) }
}

export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').toUpperCase()
}
