import type { ResourceDefinition } from '@strata/api'
import { objectKey, resourcePrefix } from '../codec/index.ts'
import type { Entry } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import { leewayMs, type NameAndUid } from './service-account-claims.ts'

/** An object that a token is bound to, as stored. An unchanged object is the same JavaScript object. */
export interface BoundObject {
  readonly uid: string
  /** When its deletion began, if finalizers keep it. */
  readonly deletedAtMs: number | undefined
}

export type BoundObjectLookup = (namespace: string, name: string) => BoundObject | undefined

interface Decoder {
  readonly definition: ResourceDefinition
  decode(stored: Uint8Array): {
    readonly hub: { readonly metadata: { readonly uid?: string; readonly deletionTimestamp?: string } }
  }
}

/** Reads from the watch cache, synchronously; each entry is decoded once, however many requests it vouches for. */
export function boundObjectLookup(cache: WatchCache, codec: Decoder): BoundObjectLookup {
  const { definition } = codec
  const collection = cache.collection(resourcePrefix(definition))
  const known = new WeakMap<Entry, BoundObject>()
  return (namespace, name) => {
    // Such a name is not a segment of a key, and must not lead to another object.
    if (namespace === '' || namespace.includes('/') || name.includes('/')) return undefined
    const entry = collection.get(objectKey(definition, namespace, name))
    if (!entry) return undefined
    const found = known.get(entry)
    if (found) return found
    const { uid = '', deletionTimestamp } = codec.decode(entry.value).hub.metadata
    const deletedAtMs = deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp)
    const object = { uid, deletedAtMs }
    known.set(entry, object)
    return object
  }
}

/** Why the object no longer vouches for a token; undefined if it does. */
export function decideBinding(
  found: BoundObject | undefined,
  { uid }: NameAndUid,
  nowMs: number,
): 'absent' | 'another' | 'deleted' | undefined {
  if (!found) return 'absent'
  if (found.uid !== uid) return 'another'
  return found.deletedAtMs !== undefined && found.deletedAtMs < nowMs - leewayMs ? 'deleted' : undefined
}
