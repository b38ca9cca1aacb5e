import type { Revision } from './store.ts'

/** What keeps a store from writing until an operator acts. Reads may go on. */
export type WriteFault = 'out-of-space' | 'io-error' | 'read-only' | 'damaged' | 'replaced'

export interface StoreErrorOptions extends ErrorOptions {
  /** Absent if waiting or asking again may help by itself. */
  readonly fault?: WriteFault | undefined
}

/** The store cannot answer, and certainly nothing was written. May be retried blindly. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
  readonly fault: WriteFault | undefined
  constructor(message: string, options?: StoreErrorOptions) {
    super(message, options)
    this.fault = options?.fault
  }
}

/**
 * The store was restored from a backup, or another one stands in its place. What was read from it before may never have
 * happened; it may be read anew (agreement.md, rule 19).
 */
export class StoreReplaced extends StoreUnavailable {
  override readonly name = 'StoreReplaced'
}

/** Something may have been written. May be retried only after reading back. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  readonly fault: WriteFault | undefined
  constructor(message: string, options?: StoreErrorOptions) {
    super(message, options)
    this.fault = options?.fault
  }
}

/** The store holds less than was acknowledged: it was damaged, emptied, or replaced by an older copy. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost'
}

/** The history asked for is gone. */
export class RevisionCompacted extends Error {
  override readonly name = 'RevisionCompacted'
  readonly compactedRevision: Revision
  constructor(asked: Revision, compactedRevision: Revision) {
    super(`revision ${asked} has been compacted; the oldest that is left is ${compactedRevision}`)
    this.compactedRevision = compactedRevision
  }
}

/** The revision asked for does not exist yet. */
export class RevisionInFuture extends Error {
  override readonly name = 'RevisionInFuture'
  readonly currentRevision: Revision
  constructor(asked: Revision, currentRevision: Revision) {
    super(`revision ${asked} is yet to come; the newest is ${currentRevision}`)
    this.currentRevision = currentRevision
  }
}
