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
  /** The id that a store gets which has none. */
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

/** The writing connection: nothing is acknowledged that is not on the disk. */
export function connectWriter(options: ConnectOptions): Connected {
  const { path, maxBytes, open = openDatabase } = options
  const mark = insist(() => checkMark(options))
  const database = open(path)
  try {
    // Of several processes that start together, one switches the new file to its mode and the others wait.
    insist(() => useWriteAheadLog(database))
    syncFully(database)
    // `tidyLog` moves the log when callers have their answers; this is for the case that it cannot.
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

/** SQLite answers which mode it is in, and goes on in the old one where it cannot change it. */
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
  // A first look without the lock, so that a process frozen while it holds the lock keeps nobody from starting.
  if (checkFormat(database)) return
  inTransaction(database, () => {
    if (!checkFormat(database)) createTables(database)
  })
}

/** Once in the life of a store. Where it cannot be written now, it goes without, as it did under earlier releases. */
function identify(database: DatabaseSync, { newStoreId }: ConnectOptions): void {
  if (newStoreId === undefined || storeId(database) !== undefined) return
  try {
    inTransaction(database, () => giveStoreId(database, newStoreId))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
}

/** Tries until nobody is in the way. It is the opener of the store who gives up, and ends this thread. */
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
