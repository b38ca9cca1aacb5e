import type { DatabaseSync } from 'node:sqlite'
import type { Revision } from '../../store.ts'
import { inTransaction } from '../in-transaction.ts'
import { firstRevision, isMarked, noteMarked, skipRevisions, storeId } from '../schema.ts'
import { faultOf } from '../sqlite-error.ts'
import { readMark, writeMarkNow } from './store-mark.ts'

export interface SettleOptions {
  readonly markPath?: string | undefined
  readonly at?: string | undefined
}

/**
 * Ensures that the store has a mark, and returns whether its mark was removed. An operator who restores a backup removes the
 * mark; so a store that had one counts as restored. Its revisions skip past all that were handed out after the backup, and the
 * past is closed: a client that resumes a watch must list again, instead of following a history that never was.
 *
 * A store that never had a mark (of an earlier release, or where marks cannot be written) is left as it is: no mark was removed.
 */
export function settleMark(
  database: DatabaseSync,
  { markPath, at }: SettleOptions,
  mark: 'there' | 'missing',
): boolean {
  const store = storeId(database)
  if (markPath === undefined || at === undefined || store === undefined) return false
  const hadMark = isMarked(database)
  // Checked again after that read, not only when the store was opened. Otherwise:
  //
  // 1. B finds no mark.
  // 2. A, which starts at the same time, creates the store, writes the mark and then notes it in the database.
  // 3. B reads that note, and takes a new store for a restored one.
  const isMissing = mark === 'missing' && readMark(markPath) === undefined
  const isRestored = isMissing && hadMark
  if (isRestored) inTransaction(database, () => skipRevisions(database))
  // At once: another server that starts takes a log without a mark for one that does not belong to the database.
  if (isMissing && !tryMark(markPath, { store, revision: newest(database), at })) return isRestored
  if (!hadMark) tryNote(database)
  return isRestored
}

/** If the mark cannot be written, the mark keeper logs it. */
function tryMark(path: string, mark: Parameters<typeof writeMarkNow>[1]): boolean {
  try {
    writeMarkNow(path, mark, String(process.pid))
    return true
  } catch {
    return false
  }
}

function tryNote(database: DatabaseSync): void {
  try {
    inTransaction(database, () => noteMarked(database))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
}

function newest(database: DatabaseSync): Revision {
  const { number } = database.prepare('SELECT max(revision) AS number FROM log').get() ?? {}
  return typeof number === 'number' ? number : firstRevision
}
