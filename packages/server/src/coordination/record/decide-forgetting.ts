import { type AgreementStatus, isFenced, isWrittenUnrecorded } from '@strata/api'
import type { Revision } from '../../store/index.ts'
import { writersOf } from './decide-agreement.ts'

/**
 * Why `status.persisted` may not be emptied although nothing seems to be stored; undefined if it may. Every commit that can
 * still arrive has to be guarded by the record, and no server may be about to send another one.
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

/** One read of a resource's prefix, and the revision that the record was moved to before. */
export interface EmptinessFacts {
  /** The revision of the record: each commit that is guarded by an earlier one is refused from then on. */
  readonly movedAt: Revision
  /** The revision of the store that was read. */
  readonly readAt: Revision
  /** How many objects were found; one is enough. */
  readonly found: number
}

/**
 * Whether nothing is stored, and no commit sent before can arrive any more. A read alone is no fence. Otherwise:
 *
 * 1. B reads the prefix, and it is empty.
 * 2. A registers, stores an object under `one` and leaves. The record has no writer again, at revision 9.
 * 3. B has the record forget `one`, guarded by revision 9; the key is dropped, and the object is lost.
 *
 * It is not enough either that the record has no writer. A server that does not record is guarded by a record without its
 * entry (rule 18): its commit under revision 9 may arrive after the read. So B moves the record itself.
 */
export function provesEmpty({ movedAt, readAt, found }: EmptinessFacts): boolean {
  return found === 0 && readAt >= movedAt
}
