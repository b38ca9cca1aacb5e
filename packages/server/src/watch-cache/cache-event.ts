import type { Key, Revision } from '../store/index.ts'

/** One change of one object, as watchers see it. Kept as bytes; each served form is made once and kept. */
export interface CacheEvent {
  readonly kind: 'added' | 'modified' | 'deleted'
  readonly key: Key
  /** The revision of this change; a deletion has its own, greater than that of the last value. */
  readonly revision: Revision
  /** The value after the change; for a deletion, the last one before it. */
  readonly value: Uint8Array
  /** The value before the change, if there was one. */
  readonly previous: Uint8Array | undefined
  /** The revision of that value; 0 if there was none. It decides whether the bytes may be served as they are. */
  readonly previousRevision: Revision
  /** One serialization per form for all its watchers. The first watch that sends the event fills it. */
  readonly forms: Map<string, Uint8Array>
}
