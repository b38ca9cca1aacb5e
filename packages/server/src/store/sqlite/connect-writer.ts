import { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './in-transaction.ts'
import { checkMark, type MarkedStore } from './mark/check-mark.ts'
import { settleMark } from './mark/settle-mark.ts'
import { pause } from './pause.ts'
import { checkFormat, createTables, giveStoreId, storeId } from './schema.ts'
import { faultOf, isBusy } from './sqlite-error.ts'

export interface ConnectOptions extends MarkedStore {
  /** The size at which the store refuses to grow, in bytes. */
  readonly maxBytes?: number | undefined
  /** The id for a store without one. */
  readonly newStoreId?: number | undefined
  /** The time, for the mark. */
  readonly at?: string | undefined
  /** Opens the database; for tests of files that fail. */
  readonly open?: ((path: string) => DatabaseSync) | undefined
}

export class NoWriteAheadLog extends Error {
  override readonly name = 'NoWriteAheadLog'
}

export interface Connected {
  readonly database: DatabaseSync
  /** Its mark was removed: the store was restored from a backup. */
  readonly isRestored: boolean
}

/** The writing connection: every acknowledged commit is on the disk. */
export function connectWriter(options: ConnectOptions): Connected {
  const { path, maxBytes, open = openDatabase } = options
  const mark = insist(() => checkMark(options))
  const database = open(path)
  try {
    // If several processes start together, one switches the new file to its mode and the others wait.
    insist(() => useWriteAheadLog(database))
    syncFully(database)
    // `tidyLog` moves the log after callers have their answers; this is the fallback.
    database.exec('PRAGMA wal_autocheckpoint = 8000')
    database.exec(`PRAGMA journal_size_limit = ${64 << 20}`)
    database.exec('PRAGMA cache_size = -16384')
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`)
    insist(() => createIfNew(database))
    insist(() => identify(database, options))
    return { database, isRestored: insist(() => settleMark(database, options, mark)) }
  } catch (error) {
    database.close()
    throw error
  }
}

const openDatabase = (path: string): DatabaseSync => new DatabaseSync(path, { timeout: 0 })

/** SQLite answers with its mode, and keeps the old one if it cannot change it. */
export function useWriteAheadLog(database: DatabaseSync): void {
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() ?? {}
  if (mode === 'wal') return
  throw new NoWriteAheadLog(
    `its file system does not support SQLite's write-ahead log (the journal mode stays ${mode}); ` +
      'use a directory on a local disk, or etcd',
  )
}

/** macOS flushes the disk's own cache only when asked to; elsewhere the last two change nothing. */
function syncFully(database: DatabaseSync): void {
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA fullfsync = 1')
  database.exec('PRAGMA checkpoint_fullfsync = 1')
}

function createIfNew(database: DatabaseSync): void {
  // The first check takes no lock, so that a process frozen while it holds the lock does not block others from starting.
  if (checkFormat(database)) return
  inTransaction(database, () => {
    if (!checkFormat(database)) createTables(database)
  })
}

/** Once in the life of a store. If it cannot be written now, the store has no id, as in earlier releases. */
function identify(database: DatabaseSync, { newStoreId }: ConnectOptions): void {
  if (newStoreId === undefined || storeId(database) !== undefined) return
  try {
    inTransaction(database, () => giveStoreId(database, newStoreId))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
}

/** Retries while another process holds the lock. The caller that opens the store has a deadline, and ends this thread. */
function insist<T>(action: () => T): T {
  for (let attempt = 0; ; attempt++) {
    try {
      return action()
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    pause(attempt)
  }
}
