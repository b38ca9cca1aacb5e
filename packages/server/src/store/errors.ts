import type { Revision } from './store.ts'

/** The store cannot answer, and certainly nothing was written. May be retried blindly. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** Something may have been written. May be retried only after reading back. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
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
