import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreLost } from '../../errors.ts'
import { pause } from '../pause.ts'
import { checkFormat, firstRevision, isMarked, storeId } from '../schema.ts'
import { isSqliteError } from '../sqlite-error.ts'
import { decideLoss, type FoundStore } from './decide-loss.ts'
import { readMark } from './store-mark.ts'

export interface MarkedStore {
  readonly path: string
  /** The file that records the revision of the store; without it nothing is compared. */
  readonly markPath?: string | undefined
}

/** Bytes before the first frame of a write-ahead log. */
const logHeaderBytes = 32
/** About two seconds of pauses: another server that starts writes the mark within milliseconds of its first commit. */
const looksForMark = 700

/**
 * Whether there is a mark. Throws `StoreLost`, before anything is created or changed, if the database holds less than the mark
 * says, or if a write-ahead log lies beside a database whose mark was removed.
 */
export function checkMark({ path, markPath }: MarkedStore): 'there' | 'missing' {
  if (markPath === undefined) return 'missing'
  for (let look = 0; ; look++) {
    // The mark is read first: other servers keep writing, and it must not be newer than the database it is compared with.
    const mark = readMark(markPath)
    if (mark === undefined) {
      if (!isForeignLog(path)) return 'missing'
      if (look === looksForMark) throw new StoreLost(foreignLog(path, markPath))
      pause(look)
      continue
    }
    const loss = decideLoss(mark, findStore(path))
    if (loss === undefined) return 'there'
    throw new StoreLost(
      `${loss}. Put ${path} and ${path}-wal back, or restore a backup (docs/store.md). ` +
        `If this file is the backup, or to go on without the missing writes, remove ${markPath}`,
    )
  }
}

/**
 * Whether the write-ahead log may belong to another state of the database. SQLite replays any valid log into the file beside it:
 * a log that a crash left behind damages a restored file, or undoes the restore. The two files do not show whether they belong
 * together. But every restore removes the mark, and no crash does: for a log without a mark the operator must decide.
 */
function isForeignLog(path: string): boolean {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) <= logHeaderBytes) return false
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false
  // `immutable` reads without the log.
  const alone = new URL(`${pathToFileURL(path)}?immutable=1`)
  try {
    const database = new DatabaseSync(alone, { readOnly: true, timeout: 0 })
    try {
      return checkFormat(database) && isMarked(database)
    } finally {
      database.close()
    }
  } catch (error) {
    // A running server is writing to it, or it is damaged: opening it, the next step, reports which.
    if (isSqliteError(error)) return false
    throw error
  }
}

const foreignLog = (path: string, markPath: string): string =>
  `${markPath} was removed, and ${path}-wal is still there. If store.db comes from a backup, the log is not its own ` +
  `and would damage it: remove ${path}-wal and ${path}-shm. ` +
  `If both belong together, move the log into the database first: sqlite3 ${path} 'PRAGMA wal_checkpoint(TRUNCATE)'`

/**
 * Reads over a read-only connection. A writable one moves the readable part of a damaged log into the database on close and
 * deletes the remainder, which an operator may want to save.
 */
function findStore(path: string): FoundStore | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    if (!checkFormat(database)) return undefined
    const { newest } = database.prepare('SELECT max(revision) AS newest FROM log').get() ?? {}
    return { store: storeId(database), revision: typeof newest === 'number' ? newest : firstRevision }
  } finally {
    database.close()
  }
}
