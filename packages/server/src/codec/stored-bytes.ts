import type { ApiObject } from '@strata/api'
import { equalJson, parseObject } from './json.ts'
import { isSealed, sealText } from './sealed-bytes.ts'

/** A kind as its stored bytes name it. */
export interface NamedKind {
  readonly kind: string
  readonly apiVersion: string
}

/** Every trusted object (`encodeObject`) begins with these bytes; when it is sent, `resourceVersion` follows right after. */
export function headOf({ kind, apiVersion }: NamedKind): Buffer {
  return Buffer.from(
    `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`,
  )
}

/**
 * The bytes to store. Bytes of our servers are trusted by their revision and their beginning. Untrusted bytes (with a carried
 * unknown field, or from a conversion alone) have their first two fields swapped, so every reader decodes and prunes them.
 */
export function encodeObject(object: ApiObject, { kind, apiVersion }: NamedKind, trusted: boolean): Buffer {
  const { kind: _, apiVersion: __, metadata, ...rest } = object
  const { resourceVersion: ___, selfLink: ____, ...kept } = metadata
  const head = trusted ? { kind, apiVersion } : { apiVersion, kind }
  return Buffer.from(JSON.stringify({ ...head, metadata: kept, ...rest }))
}

export function startsWith(stored: Uint8Array, head: Buffer): boolean {
  if (stored.length < head.length) return false
  // A manual loop: for so few bytes the call of the native comparison costs more.
  for (let at = 0; at < head.length; at++) if (stored[at] !== head[at]) return false
  return true
}

/** The bytes to send: the head with the revision, then the tail. */
export function spliceRevision(head: Buffer, revision: number, tail: Uint8Array): Uint8Array {
  const splice = `"resourceVersion":"${revision}",`
  const bytes = Buffer.allocUnsafe(head.length + splice.length + tail.length)
  head.copy(bytes)
  bytes.write(splice, head.length, 'latin1')
  bytes.set(tail, head.length + splice.length)
  return bytes
}

/** Two encodings of one object differ only in the order of keys, so they consist of the same bytes. */
export function saysTheSame(stored: Uint8Array, wouldBe: Uint8Array): boolean {
  if (stored.length !== wouldBe.length) return false
  if (Buffer.compare(stored, wouldBe) === 0) return true
  return sumOf(stored) === sumOf(wouldBe) && equalJson(parseObject(stored), parseObject(wouldBe))
}

/** Independent of the order of bytes: distinguishes most changes of equal length without parsing. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += bytes[at] ?? 0
  return sum
}

/** The apiVersion in parsed stored bytes. */
export function apiVersionIn(object: Readonly<Record<string, unknown>>): string {
  const { apiVersion } = object
  return typeof apiVersion === 'string' ? apiVersion : 'none'
}

interface EncodedVersion {
  readonly apiVersion: string
  readonly head: Buffer
}

/** Bytes of our servers are recognized by their beginning; others (JSON of another program) must be parsed. */
export function quickVersion(
  versions: readonly EncodedVersion[],
  stored: Uint8Array,
): EncodedVersion | undefined {
  return versions.find(({ head }) => startsWith(stored, head))
}

/** The apiVersion in stored bytes; for encrypted bytes, the text of their seal. */
export function storedVersionOf(versions: readonly EncodedVersion[], stored: Uint8Array): string {
  const quick = quickVersion(versions, stored)
  if (quick) return quick.apiVersion
  return isSealed(stored) ? sealText(stored) : apiVersionIn(parseObject(stored))
}
