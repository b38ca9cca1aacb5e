import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { invariant } from '@strata/world'
import { RevisionCompacted, RevisionInFuture } from '../errors.ts'
import { compareKeys, prefixEnd } from '../key-order.ts'
import type { Change, ChangeBatch, Entry, Key, Page, Range, Reading, Revision } from '../store.ts'
import { firstRevision } from './schema.ts'

const changesPerBatch = 1000
const bytesPerBatch = 4 << 20

/** SQLite sorts every BLOB after every TEXT, so this is greater than all keys. */
const afterAllKeys = Uint8Array.of(0xff)

type Columns = readonly unknown[]

/**
 * Reads in the calling thread: a read from memory is over before a message to another thread would have arrived. It never waits:
 * a lock that is held is an error, and the caller retries.
 */
export class Reader {
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    try {
      this.#database.exec('PRAGMA cache_size = -8192')
      this.#statements = prepareAll(this.#database)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  revision(): Revision {
    return revisionIn(columns(this.#statements.newest.get())[0])
  }

  read(keys: readonly Key[]): Reading {
    // One statement is one transaction by itself, and most reads are of one key.
    const [only] = keys
    if (keys.length === 1 && only !== undefined) {
      const row = columns(this.#statements.one.get(only, only))
      return { revision: revisionIn(row[3]), entries: [toEntry(only, row)] }
    }
    return this.#snapshot(() => ({
      revision: this.revision(),
      entries: keys.map((key) => toEntry(key, columns(this.#statements.one.get(key, key)))),
    }))
  }

  list({ prefix, after, limit, revision }: Range): Page {
    return this.#snapshot(() => {
      const [newest, compacted] = this.#bounds()
      const at = revision ?? newest
      if (at > newest) throw new RevisionInFuture(at, newest)
      if (at < compacted) throw new RevisionCompacted(at, compacted)
      const end = prefixEnd(prefix) ?? afterAllKeys
      // The smallest key after a key is that key and a zero.
      const start = after !== undefined && compareKeys(after, prefix) >= 0 ? `${after}\0` : prefix
      const most = limit ?? -1
      const { now, nowCount, past, pastCount } = this.#statements
      const rows = at === newest ? now.all(start, end, most) : past.all(start, end, at, most)
      const entries = rows.map((row) => {
        const listed = toEntry(columns(row)[3], columns(row))
        invariant(listed !== undefined, 'a row of a list has no revision')
        return listed
      })
      const last = entries.at(-1)
      let remaining = 0
      if (last && entries.length === limit) {
        const next = `${last.key}\0`
        const count = at === newest ? nowCount.get(next, end) : pastCount.get(next, end, at)
        remaining = Number(columns(count)[0])
      }
      return { revision: at, entries, remaining }
    })
  }

  /** The changes under the prefix since `after`, up to the size of one batch. */
  changes(prefix: Key, after: Revision): ChangeBatch {
    return this.#snapshot(() => {
      const [newest, compacted] = this.#bounds()
      if (after < compacted) throw new RevisionCompacted(after, compacted)
      const changes: Change[] = []
      let bytes = 0
      const end = prefixEnd(prefix) ?? afterAllKeys
      for (const row of this.#statements.changes.iterate(after, prefix, end)) {
        const change = toChange(columns(row))
        changes.push(change)
        if (change.kind === 'put') bytes += change.value.byteLength
        // Every change has a revision of its own, so a batch may end after any of them.
        if (changes.length >= changesPerBatch || bytes >= bytesPerBatch) {
          return { revision: change.revision, changes }
        }
      }
      return { revision: Math.max(after, newest), changes }
    })
  }

  close(): void {
    this.#database.close()
  }

  #bounds(): [newest: Revision, compacted: Revision] {
    const [newest, compacted] = columns(this.#statements.bounds.get())
    return [revisionIn(newest), revisionIn(compacted)]
  }

  /** Several statements over one state of the data. */
  #snapshot<T>(read: () => T): T {
    this.#statements.begin.run()
    try {
      return read()
    } finally {
      this.#statements.end.run()
    }
  }
}

function prepareAll(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  // The newest change of each key at that revision, unless it is a delete. SQLite guarantees that the column beside max() comes
  // from the row with the maximum.
  const statesOfThePast = `
    SELECT key, max(revision) AS revision, create_revision FROM log INDEXED BY log_by_key
    WHERE key >= ? AND key < ? AND revision <= ?
    GROUP BY key HAVING create_revision > 0`
  return {
    begin: prepare('BEGIN'),
    end: prepare('COMMIT'),
    newest: prepare('SELECT max(revision) FROM log'),
    bounds: prepare(
      `SELECT (SELECT max(revision) FROM log), (SELECT number FROM meta WHERE name = 'compacted')`,
    ),
    one: prepare(`
      SELECT log.revision, log.create_revision, log.value, (SELECT max(revision) FROM log)
      FROM (SELECT ? AS key) AS asked
      LEFT JOIN log ON log.revision = (SELECT revision FROM current WHERE key = ?)`),
    now: prepare(`
      SELECT current.revision, current.create_revision, log.value, current.key
      FROM current CROSS JOIN log ON log.revision = current.revision
      WHERE current.key >= ? AND current.key < ? ORDER BY current.key LIMIT ?`),
    nowCount: prepare('SELECT count(*) FROM current WHERE key >= ? AND key < ?'),
    past: prepare(`
      SELECT state.revision, state.create_revision, log.value, state.key
      FROM (${statesOfThePast} ORDER BY key LIMIT ?) AS state CROSS JOIN log ON log.revision = state.revision
      ORDER BY state.key`),
    pastCount: prepare(`SELECT count(*) FROM (${statesOfThePast})`),
    // The plus signs keep SQLite from using the key index and sorting: the log is in order already.
    changes: prepare(`
      SELECT revision, create_revision, value, key FROM log
      WHERE revision > ? AND +key >= ? AND +key < ? ORDER BY revision`),
  }
}

function columns(row: unknown): Columns {
  return Array.isArray(row) ? row : []
}

function revisionIn(column: unknown): Revision {
  return typeof column === 'number' ? column : firstRevision
}

function toEntry(key: unknown, row: Columns): Entry | undefined {
  const revision = row[0]
  const createRevision = row[1]
  const value = row[2]
  if (typeof revision !== 'number') return undefined
  invariant(
    typeof key === 'string' && typeof createRevision === 'number' && value instanceof Uint8Array,
    `revision ${revision} has no value`,
  )
  return { key, value, revision, createRevision }
}

function toChange([revision, createRevision, value, key]: Columns): Change {
  invariant(typeof key === 'string' && typeof revision === 'number', 'a row of the log has no key')
  if (createRevision === 0) return { kind: 'delete', key, revision }
  invariant(
    typeof createRevision === 'number' && value instanceof Uint8Array,
    `revision ${revision} has no value`,
  )
  return { kind: 'put', key, revision, value, createRevision }
}
