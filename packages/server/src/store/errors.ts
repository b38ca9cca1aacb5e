import type { Revision } from './store.ts'

/** A fault that prevents writes until an operator acts. Reads may go on. */
export type WriteFault = 'out-of-space' | 'io-error' | 'read-only' | 'damaged' | 'replaced'

export interface StoreErrorOptions extends ErrorOptions {
  /** Absent if waiting or retrying may help. */
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
 * The store was restored from a backup, or replaced by another one. State that was read before may never have happened; it may be
 * read anew (docs/design/agreement.md, rule 19).
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
