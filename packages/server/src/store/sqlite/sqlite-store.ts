import { mkdirSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Cancel, type Clock, deadline, type Log, type Random, sleep, timestamp } from '@strata/world'
import { checkCommit } from '../check-commit.ts'
import { RevisionInFuture, StoreUnavailable } from '../errors.ts'
import type {
  ChangeBatch,
  Commit,
  CommitOutcome,
  Key,
  Page,
  Range,
  Reading,
  Revision,
  Store,
} from '../store.ts'
import { RevisionFeed } from './change-feed.ts'
import { Hosts } from './hosts/hosts.ts'
import { networkFileSystem } from './hosts/network-file-system.ts'
import { checkMark } from './mark/check-mark.ts'
import { fileIdentity, fileReplaced, isOther } from './mark/file-identity.ts'
import { MarkKeeper } from './mark/mark-keeper.ts'
import { openErrors, problemOf } from './open-problem.ts'
import { Peers } from './peers.ts'
import { keepPrivate } from './private-files.ts'
import { Reader } from './reader.ts'
import { explainError, isBusy, isSqliteError } from './sqlite-error.ts'
import type { StartWriter } from './start-writer.ts'
import { type Answer, tryRead } from './try-read.ts'
import { WriterThread } from './writer-thread.ts'

export interface SqliteStoreOptions {
  /** The path of the database file. The file and its directories are created if they do not exist. */
  readonly path: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How long a call waits if the caller sets no earlier deadline. */
  readonly timeoutMs?: number | undefined
  /** How often to look for changes of other processes whose ping was lost. */
  readonly pollMs?: number | undefined
  /** The size at which the store refuses to grow. */
  readonly maxBytes?: number | undefined
  /**
   * The file, outside of the store's directory, that records the revision of the store. A store that holds less is refused with
   * `StoreLost`. Without it nothing is recorded or compared.
   */
  readonly markPath?: string | undefined
  /** Identifies this machine; by default the id of its last boot. */
  readonly host?: string | undefined
  /** How often to record that this machine uses the store. */
  readonly beatMs?: number | undefined
  /** Starts the writing thread; for tests of files that fail. */
  readonly startWriter?: StartWriter | undefined
}

/** The delay before a retry when another process holds the lock. */
const busyRetryMs = 2
const openAttempts = 5000
/** How many polls pass between two searches for new processes. */
const pollsPerDiscovery = 10

/** Opens the store in the file, which other processes on this machine may have open as well. */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  refuseEarly(options)
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
  keepPrivate(options.path)
  const network = networkFileSystem(dirname(options.path))
  if (network !== undefined)
    options.log.warn(
      `the store is on ${network}: servers on one host may share it, servers on several would damage it; use a local disk, or etcd`,
      { path: options.path },
    )
  return SqliteStore.open(options)
}

/** Checked before anything is created: a refused start must create nothing below an unmounted volume. The writer checks again. */
function refuseEarly({ path, markPath }: SqliteStoreOptions): void {
  try {
    checkMark({ path, markPath })
  } catch (error) {
    if (isBusy(error)) return
    const kind = openErrors[problemOf(error)]
    throw new kind(`cannot use ${path} as a store: ${explainError(error)}`)
  }
}

interface Parts {
  readonly writer: WriterThread
  readonly reader: Reader
  readonly peers: Peers
  readonly hosts: Hosts
}

class SqliteStore implements Store {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #pollMs: number
  readonly #writer: WriterThread
  readonly #reader: Reader
  readonly #peers: Peers
  readonly #hosts: Hosts
  readonly #feed: RevisionFeed
  readonly #marks: MarkKeeper | undefined
  readonly #path: string
  readonly #log: Log
  readonly #file: string | undefined
  #cancelPoll: Cancel = () => {}
  #polls: number = 0
  #closed: boolean = false
  #ended: string | undefined
  #isReplaced = false

  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const { path, clock, log, random, maxBytes, markPath, startWriter, timeoutMs = 5000 } = options
    const hosts = await Hosts.open(options)
    const newStoreId = markPath === undefined ? undefined : Buffer.from(random.bytes(6)).readUIntBE(0, 6)
    // The writer and the peers may call back before the store exists.
    let store: SqliteStore | undefined
    const opening = WriterThread.open({
      ...{ path, maxBytes, markPath, newStoreId, at: timestamp(clock), clock, log, timeoutMs, startWriter },
      onMove: (revision) => {
        if (store) store.#moved(revision)
      },
      onLost: (why) => {
        log.error(why, { path })
        if (store) store.#end(why)
      },
    })
    const writer = await opening.catch(async (error: unknown) => {
      await hosts.close()
      throw error
    })
    const onPing = (): void => {
      if (store) store.#look()
    }
    try {
      // The reader comes second: it cannot create the file.
      const reader = await openReader(path, clock)
      const peers = await Peers.open({ path: realpathSync(path), random, log, onPing })
      store = new SqliteStore(options, { writer, reader, peers, hosts })
      await store.#mark()
      return store
    } catch (error) {
      await writer.close('the store could not be opened')
      await hosts.close()
      throw error
    }
  }

  private constructor(options: SqliteStoreOptions, { writer, reader, peers, hosts }: Parts) {
    this.#clock = options.clock
    this.#timeoutMs = options.timeoutMs ?? 5000
    this.#pollMs = options.pollMs ?? 1000
    this.#writer = writer
    this.#reader = reader
    this.#peers = peers
    this.#hosts = hosts
    this.#feed = new RevisionFeed(0)
    this.#path = options.path
    this.#log = options.log
    this.#file = fileIdentity(options.path)
    const { markPath: path, clock, log, random } = options
    const nonce = Buffer.from(random.bytes(6)).toString('hex')
    this.#marks =
      path === undefined || writer.store === undefined
        ? undefined
        : new MarkKeeper({ path, store: writer.store, writer: nonce, clock, log })
    this.#look()
    this.#poll()
  }

  get restored(): string | undefined {
    return this.#writer.isRestored
      ? 'its mark was removed, as is done when a backup is put in place'
      : undefined
  }

  read(keys: readonly Key[], signal: AbortSignal): Promise<Reading> {
    return this.#answer(signal, () => this.#reader.read(keys))
  }

  list(range: Range, signal: AbortSignal): Promise<Page> {
    return this.#answer(signal, () => this.#reader.list(range))
  }

  async currentRevision(signal: AbortSignal): Promise<Revision> {
    const revision = await this.#answer(signal, () => this.#reader.revision())
    this.#feed.move(revision)
    return revision
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    checkCommit(commit)
    return this.#writer.queue.commit(commit, signal)
  }

  async *watch(prefix: Key, after: Revision, signal: AbortSignal): AsyncGenerator<ChangeBatch, void> {
    this.#look()
    for (let seen = after; ; ) {
      if (signal.aborted) return
      this.#checkOpen()
      if (this.#feed.revision <= seen) {
        await this.#feed.next(signal)
        continue
      }
      const answer = await this.#patiently(signal, () => this.#reader.changes(prefix, seen))
      if (answer === undefined) return
      if (answer.value.revision <= seen) {
        // Restored in place to before the announced revision: asking again at once would never end.
        this.#look()
        continue
      }
      seen = answer.value.revision
      yield answer.value
      // A watch that is far behind catches up in steps, and lets other work run in between.
      if (seen < this.#feed.revision) await new Promise<void>((resolve) => this.#clock.soon(resolve))
    }
  }

  async compact(revision: Revision, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { done, newest } = await this.#writer.queue.compact(revision, signal)
      if (revision > newest) throw new RevisionInFuture(revision, newest)
      if (done) return
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#look()
    this.#end('the store is closed')
    await this.#mark()
    // The writer closes last: only it can move the remaining log into the database and delete it.
    this.#reader.close()
    await Promise.all([this.#writer.close('the store is closed'), this.#peers.close()])
    // Last: until then this host uses the file.
    await this.#hosts.close()
  }

  /** A commit that was acknowledged or can be read is on the disk: SQLite shows it to readers only after the sync. */
  async #mark(): Promise<void> {
    await this.#marks?.keep(this.#feed.revision)
  }

  #end(why: string): void {
    this.#ended ??= why
    this.#cancelPoll()
    this.#feed.wakeAll()
  }

  /** The open file was replaced by another. */
  #lose(): void {
    const why = fileReplaced(this.#path)
    this.#log.error(why)
    this.#isReplaced = true
    this.#writer.queue.end(why, false, 'replaced')
    this.#end(why)
  }

  #checkOpen(): void {
    if (this.#ended === undefined) return
    throw new StoreUnavailable(this.#ended, this.#isReplaced ? { fault: 'replaced' } : {})
  }

  /** This process has written: notifies its own watchers and the other processes. */
  #moved(revision: Revision): void {
    this.#feed.move(revision)
    this.#peers.ping()
  }

  /** Another process may have written. If the file cannot be read now, the next poll finds the change. */
  #look(): void {
    if (this.#ended !== undefined) return
    try {
      this.#feed.show(this.#reader.revision())
    } catch (error) {
      if (!isSqliteError(error)) throw error
    }
  }

  #poll(): void {
    this.#cancelPoll = this.#clock.after(this.#pollMs, () => {
      if (isOther(this.#path, this.#file)) return this.#lose()
      this.#look()
      if (!this.#marks?.isBusy) void this.#mark()
      if (++this.#polls % pollsPerDiscovery === 0) this.#peers.discover()
      this.#poll()
    })
  }

  async #answer<T>(signal: AbortSignal, read: () => T): Promise<T> {
    this.#checkOpen()
    if (signal.aborted) throw new StoreUnavailable('given up before it began', { cause: signal.reason })
    const answer = tryRead(read)
    if (answer) return answer.value
    const limit = deadline(this.#clock, this.#timeoutMs, signal)
    try {
      const later = await this.#patiently(limit.signal, read)
      if (later) return later.value
      throw new StoreUnavailable('the store was locked by another process while it was read', {
        cause: limit.signal.reason,
      })
    } finally {
      limit.dispose()
    }
  }

  /** Retries while another process holds the lock. Undefined if the signal is aborted first. */
  async #patiently<T>(signal: AbortSignal, read: () => T): Promise<Answer<T> | undefined> {
    while (!signal.aborted) {
      this.#checkOpen()
      const answer = tryRead(read)
      if (answer) return answer
      await this.#pause(signal)
    }
    return undefined
  }

  /** Does not block the event loop; SQLite's busy timeout would. */
  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, busyRetryMs, signal).catch(() => {})
  }
}

/** Another process that recovers the file after a crash holds the lock for a moment. */
async function openReader(path: string, clock: Clock): Promise<Reader> {
  for (let attempt = 0; ; attempt++) {
    const answer = tryRead(() => new Reader(path))
    if (answer) return answer.value
    if (attempt === openAttempts) throw new StoreUnavailable(`${path} is locked`)
    await sleep(clock, busyRetryMs)
  }
}
