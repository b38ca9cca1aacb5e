import { abortable, deadline, type World } from '@strata/world'
import type { Revision, Store } from '../store/index.ts'

interface Waiter {
  readonly target: Revision
  /** The target is known to be written: only the watch must catch up. */
  readonly due: boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** How long a read waits for the cache before the server writes a tick to move the watch. */
const tickAfterMs = 200

/**
 * The read barrier (docs/design/agreement.md, rule 6): a read without a resourceVersion is answered only when the cache has
 * applied everything that was committed before the read began. One quorum read of the current revision serves all requests that
 * wait when it starts.
 *
 * Without it: server A acknowledges a write; the same client reads through server B, whose watch is a moment behind; a collector
 * or migrator decides on the past.
 */
export class ReadBarrier {
  readonly #store: Store
  readonly #world: World
  readonly #tick: (signal: AbortSignal) => Promise<void>
  #applied: Revision = 0
  #floor: Revision = 1
  #waiters: Waiter[] = []
  #ticking: boolean = false
  /** The quorum read that has not been sent yet; new requests may still join it. */
  #next: Promise<Revision> | undefined
  #running: Promise<unknown> = Promise.resolve()

  /** `tick` writes a harmless key below the watched prefix, so that the watch passes the revision. */
  constructor(store: Store, world: World, tick: (signal: AbortSignal) => Promise<void>) {
    this.#store = store
    this.#world = world
    this.#tick = tick
  }

  get applied(): Revision {
    return this.#applied
  }

  /**
   * The oldest revision that is ever shown, also to clients that accept any state. A cache that begins in the past applies
   * changes long before it reaches the revision that its readers have seen. It is at least 1: an empty cache must not be taken
   * for an empty store.
   */
  get floor(): Revision {
    return this.#floor
  }

  raiseFloor(revision: Revision): void {
    this.#floor = Math.max(this.#floor, revision)
  }

  /**
   * Discards all applied revisions: the store was replaced, and they mean something else (rule 19). Waiting requests get the
   * error; nothing is shown until the cache is reloaded.
   */
  forget(error: Error): void {
    this.#applied = 0
    this.#floor = Number.MAX_SAFE_INTEGER
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(error)
  }

  /** The cache is reloaded from a replaced store, up to `floor` at least. */
  restart(floor: Revision): void {
    this.#floor = floor
  }

  /** The cache has applied everything up to `revision`. */
  advance(revision: Revision): void {
    if (revision <= this.#applied) return
    this.#applied = revision
    if (this.#waiters.length === 0) return
    const ready = this.#waiters.filter(({ target }) => target <= revision)
    if (ready.length === 0) return
    this.#waiters = this.#waiters.filter(({ target }) => target > revision)
    for (const { resolve } of ready) resolve()
  }

  /** Resolves when the cache is at least as new as the store was when this was called. */
  async pass(signal: AbortSignal): Promise<Revision> {
    const target = await this.#newestRevision(signal)
    await this.reach(target, signal)
    return target
  }

  /** Resolves when the cache has applied `target`. */
  async reach(target: Revision, signal: AbortSignal): Promise<void> {
    if (target <= this.#applied) return
    this.#armTick()
    await this.#wait(target, true, signal)
  }

  /**
   * Resolves when the cache has applied `target`, which may not have been written yet. It takes no action: otherwise any client
   * could make the server write by asking for a revision that never comes.
   */
  async whenReached(target: Revision, signal: AbortSignal): Promise<void> {
    if (target > this.#applied) await this.#wait(target, false, signal)
  }

  /**
   * A key outside of the prefix may have moved the revision without an event (another program in the same etcd, a compaction).
   * Waiting requests would then never wake, so after a moment the server moves the watch itself. One tick serves all of them, and
   * is repeated while requests wait: a slow store must not get a write per read.
   */
  #armTick(): void {
    if (this.#ticking) return
    this.#ticking = true
    this.#world.clock.after(tickAfterMs, () => {
      if (!this.#someoneIsDue()) {
        this.#ticking = false
        return
      }
      const { signal, dispose } = deadline(this.#world.clock, 5_000)
      this.#tick(signal)
        .catch((error: unknown) => this.#world.log.debug('moving the watch failed', { error: String(error) }))
        .finally(() => {
          dispose()
          this.#ticking = false
          if (this.#someoneIsDue()) this.#armTick()
        })
    })
  }

  #someoneIsDue(): boolean {
    return this.#waiters.some(({ due }) => due)
  }

  #wait(target: Revision, due: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        target,
        due,
        resolve: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
        reject: (error) => {
          signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.push(waiter)
    })
  }

  /** Joins the next quorum read. Only an unsent one is shared: a sent one may have been answered before this request began. */
  #newestRevision(signal: AbortSignal): Promise<Revision> {
    this.#next ??= this.#running.then(this.#sendSoon, this.#sendSoon)
    return abortable(this.#next, signal)
  }

  /** Not at once: requests of the same turn of the event loop share the read. */
  readonly #sendSoon = (): Promise<Revision> =>
    new Promise((resolve) => this.#world.clock.soon(() => resolve(this.#send())))

  #send(): Promise<Revision> {
    this.#next = undefined
    const { signal, dispose } = deadline(this.#world.clock, 10_000)
    const reading = this.#store.currentRevision(signal).finally(dispose)
    this.#running = reading
    return reading
  }
}
