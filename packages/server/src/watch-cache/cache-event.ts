import type { Key, Revision } from '../store/index.ts'

/** One change of one object, as watchers see it. Kept as bytes; each served form is made once and kept. */
export interface CacheEvent {
  readonly kind: 'added' | 'modified' | 'deleted'
  readonly key: Key
  /** Of this change; a deletion has one of its own, greater than that of the last value. */
  readonly revision: Revision
  /** The value after the change; for a deletion, the last one before it. */
  readonly value: Uint8Array
  /** The value before the change, if there was one. */
  readonly previous: Uint8Array | undefined
  /** When that one was written; 0 if there was none. How old bytes are says whether they may be served as they are. */
  readonly previousRevision: Revision
  /** One serialisation per form for all watchers of that form. Filled by whoever serves the event first. */
  readonly forms: Map<string, Uint8Array>
}
