import type { DatabaseSync } from 'node:sqlite'
import { Compaction } from './compaction.ts'
import { type ConnectOptions, connectWriter } from './connect-writer.ts'
import { pause } from './pause.ts'
import { type CommitsRequest, cell, type Reply } from './protocol.ts'
import { storeId } from './schema.ts'
import { describeError, explainError, faultOf, isBusy } from './sqlite-error.ts'
import { GroupTransaction } from './sqlite-transaction.ts'
import { tidyLog } from './write-ahead-log.ts'

export interface WriterOptions extends ConnectOptions {
  /** One per commit of the group under way; see `cell`. */
  readonly cells: Int32Array
}

type Prepared = { readonly group: GroupTransaction; readonly compaction: Compaction }

/**
 * Owns the writing connection. It runs in a thread of its own, because every call blocks: on the lock, on the disk. It has no
 * clock and no deadline; a caller that gives up withdraws its commits.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #warn: (message: string) => void
  /** The store was restored from a backup before it was opened. */
  readonly isRestored: boolean
  #database: DatabaseSync
  #prepared: Prepared
  #untidy: string | undefined

  constructor(options: WriterOptions, warn: (message: string) => void) {
    this.#options = options
    this.#warn = warn
    const { database, isRestored } = connectWriter(options)
    this.isRestored = isRestored
    this.#database = database
    this.#prepared = prepare(database)
  }

  get storeId(): number | undefined {
    return storeId(this.#database)
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

  /** Work that can wait until the callers have their answers. */
  tidy(): void {
    try {
      tidyLog(this.#database)
      this.#untidy = undefined
    } catch (error) {
      const problem = explainError(error)
      // Logged once while it lasts: it is tried after every group.
      if (problem !== this.#untidy)
        this.#warn(`could not move the write-ahead log into the database: ${problem}`)
      this.#untidy = problem
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
      // COMMIT was not sent, so none of this can ever be in the file.
      this.#rollBack()
      return failed(error, false)
    }
    try {
      this.#database.exec('COMMIT')
      return reply
    } catch (error) {
      // The log may already hold all of it, and only the sync failed. This process continues as if it were not there. But if the
      // machine stops now, recovery may find the transaction complete and apply it. That holds for every error, a full disk too:
      // SQLite pads the last sector after the last frame.
      this.#rollBack()
      return failed(error, true)
    }
  }

  /** Waits for the lock. False if all commits were withdrawn. */
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

  /** Leaves no transaction open. A connection that cannot roll back is replaced. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch (error) {
      this.#warn(
        `opening the file anew, because a transaction could not be rolled back: ${describeError(error)}`,
      )
      this.#database.close()
      this.#database = connectWriter(this.#options).database
      this.#prepared = prepare(this.#database)
    }
  }
}

function prepare(database: DatabaseSync): Prepared {
  return { group: new GroupTransaction(database), compaction: new Compaction(database) }
}

function failed(error: unknown, unknown: boolean): Reply {
  return { kind: 'failed', unknown, message: explainError(error), fault: faultOf(error) }
}
