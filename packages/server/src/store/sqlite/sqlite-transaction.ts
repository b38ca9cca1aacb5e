import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { invariant } from '@strata/world'
import type { Key, Revision } from '../store.ts'
import { type CommitsReply, type CommitsRequest, type Current, result } from './protocol.ts'
import { firstRevision } from './schema.ts'

/** The newest change of a key. */
interface Row {
  readonly revision: Revision
  readonly createRevision: Revision
}

/** Executes the commits of a group in order, inside the caller's transaction. */
export class GroupTransaction {
  readonly #newest: StatementSync
  readonly #current: StatementSync
  readonly #value: StatementSync
  readonly #append: StatementSync
  readonly #setCurrent: StatementSync
  readonly #dropCurrent: StatementSync
  // For this group only. Most commits of a group guard the same agreement record.
  readonly #rows = new Map<Key, Row | undefined>()
  #revision: Revision = 0

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return statement
    }
    this.#newest = prepare('SELECT max(revision) FROM log')
    this.#current = prepare('SELECT revision, create_revision FROM current WHERE key = ?')
    this.#value = prepare('SELECT value FROM log WHERE revision = ?')
    this.#append = prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?)')
    this.#setCurrent = prepare('INSERT OR REPLACE INTO current VALUES (?, ?, ?)')
    this.#dropCurrent = prepare('DELETE FROM current WHERE key = ?')
  }

  newest(): Revision {
    const [revision] = this.#row(this.#newest)
    return typeof revision === 'number' ? revision : firstRevision
  }

  /** `begin` returns whether a commit may still begin, and marks it as begun. */
  play({ count, operations, bytes }: CommitsRequest, begin: (index: number) => boolean): CommitsReply {
    const results: number[] = []
    const currents: (Current | undefined)[] = []
    const before = this.newest()
    this.#revision = before
    this.#rows.clear()
    let at = 0
    let offset = 0
    const number = (): number => {
      const operation = operations[at++]
      invariant(typeof operation === 'number', 'a number was expected in the group')
      return operation
    }
    const key = (): Key => {
      const operation = operations[at++]
      invariant(typeof operation === 'string', 'a key was expected in the group')
      return operation
    }
    for (let index = 0; index < count; index++) {
      const begun = begin(index)
      const broken: number[] = []
      for (let guard = 0, guards = number(); guard < guards; guard++) {
        const row = this.#look(key())
        const expected = number()
        const length = -1 - expected
        const value = length < 0 ? undefined : bytes.subarray(offset, offset + length)
        offset += Math.max(0, length)
        const holds = value ? this.#isAt(row, value) : (row?.revision ?? 0) === expected
        if (holds || !begun) continue
        broken.push(guard)
        currents.push(row && { ...row, value: this.#valueAt(row.revision) })
      }
      const writes = number()
      const write = begun && broken.length === 0
      if (!begun) results.push(result.withdrawn)
      else if (!write) results.push(result.refused, this.#revision, broken.length, ...broken)
      else results.push(result.committed, 0)
      const outcomeAt = results.length - 1
      for (let count = 0; count < writes; count++) {
        const target = key()
        const length = number()
        const value = length < 0 ? undefined : bytes.subarray(offset, offset + length)
        offset += Math.max(0, length)
        if (!write) continue
        if (value) this.#put(target, value)
        else this.#delete(target)
        results.push(this.#revision)
      }
      if (write) results[outcomeAt] = this.#revision
    }
    this.#rows.clear()
    return { kind: 'commits', moved: this.#revision > before ? this.#revision : 0, results, currents }
  }

  #put(key: Key, value: Uint8Array): void {
    const previous = this.#look(key)
    const revision = ++this.#revision
    const createRevision = previous?.createRevision ?? revision
    this.#append.run(revision, key, createRevision, previous?.revision ?? 0, value)
    this.#setCurrent.run(key, revision, createRevision)
    this.#rows.set(key, { revision, createRevision })
  }

  #delete(key: Key): void {
    const previous = this.#look(key)
    if (previous === undefined) return
    this.#append.run(++this.#revision, key, 0, previous.revision, null)
    this.#dropCurrent.run(key)
    this.#rows.set(key, undefined)
  }

  #look(key: Key): Row | undefined {
    if (this.#rows.has(key)) return this.#rows.get(key)
    const [revision, createRevision] = this.#row(this.#current, key)
    const row =
      typeof revision === 'number' && typeof createRevision === 'number'
        ? { revision, createRevision }
        : undefined
    this.#rows.set(key, row)
    return row
  }

  #isAt(row: Row | undefined, value: Uint8Array): boolean {
    return row !== undefined && Buffer.compare(this.#valueAt(row.revision), value) === 0
  }

  #valueAt(revision: Revision): Uint8Array {
    const [value] = this.#row(this.#value, revision)
    invariant(value instanceof Uint8Array, `revision ${revision} has no value`)
    return value
  }

  /** The columns of the first row, or none. */
  #row(statement: StatementSync, ...parameters: (string | number)[]): readonly unknown[] {
    const row: unknown = statement.get(...parameters)
    return Array.isArray(row) ? row : []
  }
}
