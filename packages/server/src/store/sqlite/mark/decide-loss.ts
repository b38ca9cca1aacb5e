import type { Revision } from '../../store.ts'
import type { StoreMark } from './store-mark.ts'

/** The store in the database, as found. */
export interface FoundStore {
  /** Undefined if no release that assigns ids has opened the store yet. */
  readonly store: number | undefined
  readonly revision: Revision
}

/**
 * Whether the database holds less than was acknowledged. A mark records only revisions on the disk, and revisions never decrease.
 * So a smaller one, another store, or none means that data was removed from outside. Commits acknowledged after the last mark are
 * not known here.
 */
export function decideLoss(mark: StoreMark | undefined, found: FoundStore | undefined): string | undefined {
  if (mark === undefined) return undefined
  const known = `revision ${mark.revision} was on the disk at ${mark.at}`
  if (found === undefined) return `there is no store, although ${known}`
  if (found.store !== mark.store) return `it is another store: in the one that was here, ${known}`
  if (found.revision < mark.revision)
    return `it ends at revision ${found.revision}, although ${known}: its write-ahead log is missing or damaged, or it was replaced by an older copy`
  return undefined
}
