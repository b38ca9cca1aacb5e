import { abortable, deadline, type World } from '@strata/world'
import type { Revision, Store } from '../store/index.ts'

interface Waiter {
  readonly target: Revision
  /** The target is known to be written: only the watch has to come there. */
  readonly due: boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** How long a read waits for the cache before a tick is written to move the watch. */
const tickAfterMs = 200

/**
 * The read barrier (agreement.md, rule 6): a read without a resourceVersion is answered only when the cache
 * has applied everything that was committed before the read began. One quorum read of the current revision
 * serves all requests that are waiting when it starts.
 *
 * Without it: server A acknowledges a write; the same client reads through server B, whose watch is a
 * moment behind; a collector or migrator decides on the past.
 */
export class ReadBarrier {
  readonly #store: Store
  readonly #world: World
  readonly #tick: (signal: AbortSignal) => Promise<void>
  #applied: Revision = 0
  #floor: Revision = 1
  #waiters: Waiter[] = []
  #ticking: boolean = false
  /** The quorum read that has not been sent yet and that new requests may still join. */
  #next: Promise<Revision> | undefined
  #running: Promise<unknown> = Promise.resolve()

  /** `tick` writes something harmless below the watched prefix, so that the watch passes the revision. */
  constructor(store: Store, world: World, tick: (signal: AbortSignal) => Promise<void>) {
    this.#store = store
    this.#world = world
    this.#tick = tick
  }

  get applied(): Revision {
    return this.#applied
  }

  /**
   * Nothing older is shown to anyone, not even to those who take any state: a cache that begins in the past has applied
   * something long before it has come to where its readers were already. At the least something must have been read,
   * lest an empty cache be taken for an empty store.
   */
  get floor(): Revision {
    return this.#floor
  }

  raiseFloor(revision: Revision): void {
    this.#floor = Math.max(this.#floor, revision)
  }

  /**
   * Nothing that was applied counts any more: the store was replaced, and its revisions mean something else (rule 19). Who
   * waits for one of them is told so; nothing is shown to anyone until the cache has been filled anew.
   */
  forget(error: Error): void {
    this.#applied = 0
    this.#floor = Number.MAX_SAFE_INTEGER
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(error)
  }

  /** The cache is filled anew with a store that was replaced, up to here at least. */
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
   * Resolves when the cache has applied `target`, which may not have been written yet. Nothing is done to get
   * there: otherwise anyone could make the server write by asking for a revision that will never come.
   */
  async whenReached(target: Revision, signal: AbortSignal): Promise<void> {
    if (target > this.#applied) await this.#wait(target, false, signal)
  }

  /**
   * A key outside of the prefix may have moved the revision without an event for us (another program in the same
   * etcd, a compaction). Nothing would ever wake those who wait: after a moment, move the watch ourselves. One tick
   * for all of them, and again while somebody still waits: a slow store must not be asked for a write per read.
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
        .catch((error: unknown) => this.#world.log.debug('tick failed', { error: String(error) }))
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

  /**
   * Joins the next quorum read. A read that is already on its way may have been answered before this request
   * began, so only one that has not been sent may be shared.
   */
  #newestRevision(signal: AbortSignal): Promise<Revision> {
    this.#next ??= this.#running.then(this.#sendSoon, this.#sendSoon)
    return abortable(this.#next, signal)
  }

  /** Not at once: requests that came in the same turn of the loop, each on its own connection, share the read. */
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
