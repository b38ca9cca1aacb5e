import { DatabaseSync } from 'node:sqlite'
import { Compaction } from './compaction.ts'
import { type CommitsRequest, cell, type Reply } from './protocol.ts'
import { checkFormat, createTables } from './schema.ts'
import { describeError, isBusy } from './sqlite-error.ts'
import { GroupTransaction } from './transaction.ts'
import { tidyLog } from './write-ahead-log.ts'

export interface WriterOptions {
  readonly path: string
  /** The size at which the store refuses to grow, in bytes. */
  readonly maxBytes?: number | undefined
  /** One per commit of the group under way; see `cell`. */
  readonly cells: Int32Array
}

type Prepared = { readonly group: GroupTransaction; readonly compaction: Compaction }

/**
 * Owns the writing connection. It lives in a thread of its own, because every call blocks: on the lock, on
 * the disk. It has no clock and no deadline; whoever is tired of waiting withdraws its commits.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #warn: (message: string) => void
  #database: DatabaseSync
  #prepared: Prepared

  constructor(options: WriterOptions, warn: (message: string) => void) {
    this.#options = options
    this.#warn = warn
    this.#database = connect(options)
    this.#prepared = prepare(this.#database)
  }

  /** All commits in one transaction, each under its own guards. */
  commit(request: CommitsRequest): Reply {
    const { cells } = this.#options
    const begin = (index: number): boolean =>
      Atomics.compareExchange(cells, index, cell.waiting, cell.begun) === cell.waiting
    return this.#transact(request.count, ({ group }) => group.play(request, begin))
  }

  compact(revision: number): Reply {
    const { cells } = this.#options
    return this.#transact(1, ({ group, compaction }) => {
      if (Atomics.compareExchange(cells, 0, cell.waiting, cell.begun) !== cell.waiting)
        return { kind: 'withdrawn' }
      const newest = group.newest()
      const done = revision > newest || compaction.step(revision, newest)
      return { kind: 'compacted', done, newest }
    })
  }

  /** What can wait until the callers have their answer. */
  tidy(): void {
    try {
      tidyLog(this.#database)
    } catch (error) {
      this.#warn(`could not move the write-ahead log into the database: ${describeError(error)}`)
    }
  }

  close(): void {
    this.#database.close()
  }

  #transact(count: number, play: (prepared: Prepared) => Reply): Reply {
    let reply: Reply
    try {
      if (!this.#begin(count)) return { kind: 'withdrawn' }
      reply = play(this.#prepared)
    } catch (error) {
      // COMMIT was never said, so nothing of this can ever be found in the file.
      this.#rollBack()
      return { kind: 'failed', unknown: false, message: describeError(error) }
    }
    try {
      this.#database.exec('COMMIT')
      return reply
    } catch (error) {
      // The log may already hold all of it, and only the sync failed. This process goes on as if it were not
      // there; but should the machine stop now, recovery may find the transaction complete and take it.
      this.#rollBack()
      return { kind: 'failed', unknown: !isBusy(error), message: describeError(error) }
    }
  }

  /** Waits for the lock. False if nobody is interested any longer. */
  #begin(count: number): boolean {
    const { cells } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        this.#database.exec('BEGIN IMMEDIATE')
        return true
      } catch (error) {
        if (!isBusy(error)) throw error
      }
      if (cells.subarray(0, count).every((state) => state === cell.withdrawn)) return false
      pause(attempt)
    }
  }

  /** Leaves no transaction open. A connection that cannot even do that is replaced. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch (error) {
      this.#warn(
        `opening the file anew, because a transaction could not be rolled back: ${describeError(error)}`,
      )
      this.#database.close()
      this.#database = connect(this.#options)
      this.#prepared = prepare(this.#database)
    }
  }
}

function prepare(database: DatabaseSync): Prepared {
  return { group: new GroupTransaction(database), compaction: new Compaction(database) }
}

function connect({ path, maxBytes }: WriterOptions): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Of several processes that start together, one switches the new file to its mode and the others wait.
    insist(() => database.exec('PRAGMA journal_mode = WAL'))
    // Nothing is acknowledged that is not on the disk.
    database.exec('PRAGMA synchronous = FULL')
    // `tidyLog` moves the log when callers have their answers; this is for the case that it cannot.
    database.exec('PRAGMA wal_autocheckpoint = 8000')
    database.exec(`PRAGMA journal_size_limit = ${64 << 20}`)
    database.exec('PRAGMA cache_size = -16384')
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`)
    insist(() => createIfNew(database))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function createIfNew(database: DatabaseSync): void {
  // A first look without the lock, so that a process frozen while it holds the lock keeps nobody from starting.
  if (checkFormat(database)) return
  database.exec('BEGIN IMMEDIATE')
  try {
    if (!checkFormat(database)) createTables(database)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Tries until nobody is in the way. It is the opener of the store who gives up, and ends this thread. */
function insist(action: () => void): void {
  for (let attempt = 0; ; attempt++) {
    try {
      action()
      return
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    pause(attempt)
  }
}

const pauses = new Int32Array(new SharedArrayBuffer(4))

/**
 * Short at first: between two groups of a busy neighbour the lock is free for a fraction of a millisecond
 * only, and who sleeps longer than that would starve. Longer later: then the holder is not busy but frozen.
 */
function pause(attempt: number): void {
  Atomics.wait(pauses, 0, 0, attempt < 200 ? 0.2 : attempt < 400 ? 1 : 5)
}
