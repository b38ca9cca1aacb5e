import { type AgreementStatus, isFenced, isWrittenUnrecorded } from '@strata/api'
import type { Revision } from '../../store/index.ts'
import { writersOf } from './decide-agreement.ts'

/**
 * Why a record may not forget what it says may be stored, although nothing seems to be; undefined if it may. Every commit that
 * can still arrive has to be guarded by the record, and no server may be about to send another one.
 */
export function refuseForgetting(
  status: AgreementStatus,
  /** Ids of live servers that do not record what they write (rule 18). */
  unrecorded: ReadonlySet<string>,
): string | undefined {
  const writers = writersOf(status.servers).map(({ serverID }) => serverID)
  if (writers.length > 0) return `${writers.join(', ')} may write it`
  if (unrecorded.size > 0 || isWrittenUnrecorded(status)) {
    return 'a server may write it without recording its storage version'
  }
  if (isFenced(status)) return undefined
  const fenced = status.conditions.find(({ type }) => type === 'Fenced')
  return fenced?.message ?? 'not every write is guarded by its agreement record'
}

/** One reading of everything under a resource's prefix, next to the record that was moved before it. */
export interface EmptinessFacts {
  /** The revision of the record: each commit that is guarded by an earlier one is refused from then on. */
  readonly movedAt: Revision
  /** The revision of the store that was read. */
  readonly readAt: Revision
  /** How many objects were found; one is enough. */
  readonly found: number
}

/**
 * Whether nothing is stored, and nothing that was sent before can be any more. Reading alone is not fencing. Otherwise:
 *
 * 1. B reads the prefix, and it is empty.
 * 2. A registers, stores an object under `one` and leaves. The record has no writer again, at revision 9.
 * 3. B has the record forget `one`, guarded by revision 9; the key is dropped, and the object is lost.
 *
 * Nor is it enough to read after a record that has no writer. Servers exist whose commits are guarded by a record without an
 * entry of theirs (rule 18): what one of them sent under revision 9 arrives after the reading. So B moves the record itself.
 */
export function provesEmpty({ movedAt, readAt, found }: EmptinessFacts): boolean {
  return found === 0 && readAt >= movedAt
}
