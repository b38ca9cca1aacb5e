import type { ApiObject } from '@strata/api'
import { equalJson, parseObject } from './json.ts'

/** A kind as its stored bytes name it. */
export interface NamedKind {
  readonly kind: string
  readonly apiVersion: string
}

/** Every object that this server encodes begins with these bytes; `resourceVersion` goes right behind. */
export function headOf({ kind, apiVersion }: NamedKind): Buffer {
  return Buffer.from(
    `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`,
  )
}

/**
 * The bytes to store. Own bytes are trusted by when they were written and how they begin. What must not be trusted (a
 * field that was carried along unknown, an object that only a conversion has made) has its two first fields the other
 * way round, and every reader decodes and prunes it.
 */
export function encodeObject(object: ApiObject, { kind, apiVersion }: NamedKind, trusted: boolean): Buffer {
  const { kind: _, apiVersion: __, metadata, ...rest } = object
  const { resourceVersion: ___, selfLink: ____, ...kept } = metadata
  const head = trusted ? { kind, apiVersion } : { apiVersion, kind }
  return Buffer.from(JSON.stringify({ ...head, metadata: kept, ...rest }))
}

export function startsWith(stored: Uint8Array, head: Buffer): boolean {
  if (stored.length < head.length) return false
  // By hand: for so few bytes the way into the native comparison costs more than the comparison.
  for (let at = 0; at < head.length; at++) if (stored[at] !== head[at]) return false
  return true
}

/** The bytes to send: what stands before the tail, with the revision in it. */
export function spliceRevision(head: Buffer, revision: number, tail: Uint8Array): Uint8Array {
  const splice = `"resourceVersion":"${revision}",`
  const bytes = Buffer.allocUnsafe(head.length + splice.length + tail.length)
  head.copy(bytes)
  bytes.write(splice, head.length, 'latin1')
  bytes.set(tail, head.length + splice.length)
  return bytes
}

/** Only the order of keys may differ between two encodings of the same object, so they consist of the same bytes. */
export function saysTheSame(stored: Uint8Array, wouldBe: Uint8Array): boolean {
  if (stored.length !== wouldBe.length) return false
  if (Buffer.compare(stored, wouldBe) === 0) return true
  return sumOf(stored) === sumOf(wouldBe) && equalJson(parseObject(stored), parseObject(wouldBe))
}

/** The same whatever the order of the bytes: tells most changes of equal length apart without parsing either side. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += bytes[at] ?? 0
  return sum
}

/** The apiVersion in stored bytes that have been parsed. */
export function apiVersionIn(object: Readonly<Record<string, unknown>>): string {
  const { apiVersion } = object
  return typeof apiVersion === 'string' ? apiVersion : 'none'
}
