// SQLite on a file that fails: the writing connection, with errors where a disk may have them.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** Where the next error strikes. */
export const strike = {
  none: 0,
  /** When the lock is taken. */
  begin: 1,
  /** In the middle of the transaction. */
  write: 2,
  /** COMMIT fails, and nothing of it is in the file. */
  commitLost: 3,
  /** COMMIT fails, and all of it is in the file: the log was written, and the error came with its sync. */
  commitKept: 4,
} as const

export type Strike = (typeof strike)[keyof typeof strike]

/** Shared memory: a test sets it, and the writing thread takes it, once. */
export class FileFaults {
  readonly cells: Int32Array

  constructor(cells: Int32Array = new Int32Array(new SharedArrayBuffer(8))) {
    this.cells = cells
  }

  next(what: Strike): void {
    Atomics.store(this.cells, 0, what)
  }

  /** How many have struck. */
  get struck(): number {
    return Atomics.load(this.cells, 1)
  }

  take(what: Strike): boolean {
    if (Atomics.compareExchange(this.cells, 0, what, strike.none) !== what) return false
    Atomics.add(this.cells, 1, 1)
    return true
  }
}

export class FailingDatabase extends DatabaseSync {
  readonly #faults: FileFaults

  constructor(path: string, faults: FileFaults) {
    super(path, { timeout: 0 })
    this.#faults = faults
  }

  override exec(sql: string): void {
    if (sql === 'BEGIN IMMEDIATE' && this.#faults.take(strike.begin)) throw ioError()
    if (sql === 'COMMIT') {
      if (this.#faults.take(strike.commitLost)) {
        super.exec('ROLLBACK')
        throw ioError()
      }
      if (this.#faults.take(strike.commitKept)) {
        super.exec('COMMIT')
        throw ioError()
      }
    }
    super.exec(sql)
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql)
    if (!sql.startsWith('INSERT INTO log')) return statement
    const run = statement.run.bind(statement)
    statement.run = ((...values: SQLInputValue[]) => {
      const changes = run(...values)
      if (this.#faults.take(strike.write)) throw ioError()
      return changes
    }) as StatementSync['run']
    return statement
  }
}

/** As node:sqlite throws SQLITE_IOERR_FSYNC. */
function ioError(): Error {
  return Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 })
}
