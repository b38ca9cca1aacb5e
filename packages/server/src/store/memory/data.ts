import { RevisionCompacted, RevisionInFuture } from '../errors.ts'
import { guardHolds } from '../guard-holds.ts'
import type {
  BrokenGuard,
  Change,
  ChangeBatch,
  Commit,
  CommitOutcome,
  Entry,
  Key,
  Page,
  Range,
  Reading,
  Revision,
  Write,
} from '../store.ts'
import { SortedKeys } from './sorted-keys.ts'

export interface MemoryDataOptions {
  /**
   * Whether the writes of one commit share a revision, as on etcd, or each has its own, as on SQLite. Both are allowed, and code
   * that works on one may fail on the other.
   */
  readonly revisions?: 'shared' | 'each'
}

/** One change and its value; none for a delete. */
interface Version {
  readonly revision: Revision
  readonly change: Change
  readonly entry: Entry | undefined
}

/**
 * The data that several connections share. Everything is synchronous: no promise, no timer, so that in a simulation the only
 * interleavings are those that the scheduler chose.
 */
export class MemoryData {
  /** Called after every move of the revision. */
  readonly listeners = new Set<() => void>()
  /** Per key, newest last, never empty. */
  readonly #histories = new Map<Key, Version[]>()
  readonly #keys = new SortedKeys()
  readonly #log: Version[] = []
  readonly #shared: boolean
  // An empty etcd is at revision 1, too: no write ever has revision 0.
  #revision: Revision = 1
  #compacted: Revision = 1

  constructor({ revisions = 'shared' }: MemoryDataOptions = {}) {
    this.#shared = revisions === 'shared'
  }

  get revision(): Revision {
    return this.#revision
  }

  read(keys: readonly Key[]): Reading {
    return { revision: this.#revision, entries: keys.map((key) => this.#current(key)) }
  }

  list({ prefix, after, limit = Number.POSITIVE_INFINITY, revision = this.#revision }: Range): Page {
    if (revision > this.#revision) throw new RevisionInFuture(revision, this.#revision)
    if (revision < this.#compacted) throw new RevisionCompacted(revision, this.#compacted)
    const entries: Entry[] = []
    let remaining = 0
    for (const key of this.#keys.withPrefix(prefix, after ?? prefix)) {
      if (key === after) continue
      const entry = this.#at(key, revision)
      if (entry === undefined) continue
      if (entries.length < limit) entries.push(entry)
      else remaining++
    }
    return { revision, entries, remaining }
  }

  commit({ writes, guards }: Commit): CommitOutcome {
    const broken: BrokenGuard[] = []
    for (const guard of guards) {
      const current = this.#current(guard.key)
      if (!guardHolds(guard, current)) broken.push({ guard, current })
    }
    const [first, ...others] = broken
    if (first) return { outcome: 'refused', revision: this.#revision, broken: [first, ...others] }
    const revisions = this.#write(writes)
    return { outcome: 'committed', revision: this.#revision, revisions }
  }

  /** Everything under the prefix after `after`, at most `limit` changes unless one revision has more. */
  changesSince(prefix: Key, after: Revision, limit: number): ChangeBatch {
    if (after < this.#compacted) throw new RevisionCompacted(after, this.#compacted)
    const changes: Change[] = []
    for (let index = this.#logIndex(after); index < this.#log.length; index++) {
      const change = this.#log[index]?.change
      if (change === undefined || !change.key.startsWith(prefix)) continue
      const last = changes.at(-1)
      if (last && changes.length >= limit && last.revision !== change.revision)
        return { revision: last.revision, changes }
      changes.push(change)
    }
    return { revision: this.#revision, changes }
  }

  compact(revision: Revision): void {
    if (revision > this.#revision) throw new RevisionInFuture(revision, this.#revision)
    if (revision <= this.#compacted) return
    this.#compacted = revision
    for (const { change } of this.#log.splice(0, this.#logIndex(revision))) this.#forget(change.key, revision)
  }

  /**
   * Simulates a restore from a backup that was made at `revision`: later changes never happened, and their revisions are given to
   * other changes. Watches do not notice: like those of a restored etcd, they wait for revisions that they have not seen.
   */
  restoreTo(revision: Revision): void {
    if (revision > this.#revision) throw new RevisionInFuture(revision, this.#revision)
    if (revision < this.#compacted) throw new RevisionCompacted(revision, this.#compacted)
    for (const { change } of this.#log.splice(this.#logIndex(revision))) {
      const history = this.#histories.get(change.key) ?? []
      history.splice(newestAt(history, revision) + 1)
      if (history.length > 0 || !this.#histories.delete(change.key)) continue
      this.#keys.remove(change.key)
    }
    this.#revision = revision
  }

  /** Drops the versions that the state at `revision` does not show. */
  #forget(key: Key, revision: Revision): void {
    const history = this.#histories.get(key)
    if (history === undefined) return
    const shown = newestAt(history, revision)
    const keepShown = history[shown]?.entry !== undefined
    history.splice(0, keepShown ? shown : shown + 1)
    if (history.length > 0) return
    this.#histories.delete(key)
    this.#keys.remove(key)
  }

  #write(writes: readonly Write[]): Revision[] {
    const before = this.#revision
    const shared = before + 1
    const revisions: Revision[] = []
    for (const write of writes) {
      const current = this.#current(write.key)
      if (write.kind === 'put' || current !== undefined) {
        this.#revision = this.#shared ? shared : this.#revision + 1
        this.#record(write, current)
      }
      revisions.push(this.#revision)
    }
    if (this.#revision !== before) for (const listener of this.listeners) listener()
    return revisions
  }

  #record(write: Write, current: Entry | undefined): void {
    const { key } = write
    const revision = this.#revision
    const entry =
      write.kind === 'put'
        ? { key, value: write.value, revision, createRevision: current?.createRevision ?? revision }
        : undefined
    const change: Change = entry ? { kind: 'put', ...entry } : { kind: 'delete', key, revision }
    const version = { revision, change, entry }
    const history = this.#histories.get(key)
    if (history) history.push(version)
    else {
      this.#histories.set(key, [version])
      this.#keys.add(key)
    }
    this.#log.push(version)
  }

  #current(key: Key): Entry | undefined {
    return this.#histories.get(key)?.at(-1)?.entry
  }

  #at(key: Key, revision: Revision): Entry | undefined {
    const history = this.#histories.get(key)
    return history?.[newestAt(history, revision)]?.entry
  }

  /** The place in the log of the first change after `revision`. */
  #logIndex(revision: Revision): number {
    return newestAt(this.#log, revision) + 1
  }
}

/** The place of the last version that is not newer than `revision`, or -1. */
function newestAt(versions: readonly Version[], revision: Revision): number {
  let low = 0
  let high = versions.length
  // Most reads are of the newest version.
  const last = versions.at(-1)
  if (last && last.revision <= revision) return high - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const version = versions[middle]
    if (version && version.revision <= revision) low = middle + 1
    else high = middle
  }
  return low - 1
}
