import { type BackoffPolicy, backoffMs, type Cancel, type Clock, jitter, type Random } from '@strata/world'

/** The result of one reconcile. */
export type Outcome =
  | { readonly kind: 'settled' }
  /** Not a failure: reconcile again after this long, or at the next change. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Retry with backoff, longer after each failure in a row. */
  | { readonly kind: 'failed'; readonly atLeastMs: number }

export interface WorkQueueOptions {
  readonly clock: Clock
  readonly random: Random
  readonly backoff: Omit<BackoffPolicy, 'attempts'>
}

/**
 * The keys to reconcile. A key is in the queue once, however often it is added, and never runs in two workers at a time: a
 * change during the work gives it another turn afterwards. So the queue is never longer than the number of objects, and
 * reconciles of one key never race.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #ready = new Set<string>()
  readonly #running = new Set<string>()
  /** Added while running. */
  readonly #again = new Set<string>()
  readonly #timers = new Map<string, Cancel>()
  readonly #failures = new Map<string, number>()
  readonly #waiting: ((key: string | undefined) => void)[] = []
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** Adds the key at once, even during its backoff: the change may have removed the cause of the failure. */
  add(key: string): void {
    if (this.#closed) return
    this.#cancelTimer(key)
    if (this.#running.has(key)) {
      this.#again.add(key)
      return
    }
    const worker = this.#ready.has(key) ? undefined : this.#waiting.shift()
    if (!worker) {
      this.#ready.add(key)
      return
    }
    this.#running.add(key)
    worker(key)
  }

  /** The next key, or undefined once the queue is closed. Call `done` afterwards. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    for (const key of this.#ready) {
      this.#ready.delete(key)
      this.#running.add(key)
      return Promise.resolve(key)
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  done(key: string, outcome: Outcome): void {
    this.#running.delete(key)
    const delayMs = this.#delayAfter(key, outcome)
    if (this.#again.delete(key)) this.add(key)
    else if (delayMs !== undefined && !this.#closed) {
      const later = (): void => {
        this.#timers.delete(key)
        this.add(key)
      }
      this.#timers.set(key, this.#options.clock.after(delayMs, later))
    }
  }

  /** Ends the work: waiting workers get undefined, and `done` may still be called. */
  close(): void {
    this.#closed = true
    this.#ready.clear()
    this.#again.clear()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    for (const worker of this.#waiting.splice(0)) worker(undefined)
  }

  #delayAfter(key: string, outcome: Outcome): number | undefined {
    if (outcome.kind !== 'failed') {
      this.#failures.delete(key)
      return outcome.kind === 'again' ? outcome.afterMs : undefined
    }
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    const waitMs = backoffMs({ ...this.#options.backoff, attempts: 0 }, failures)
    return Math.max(outcome.atLeastMs, jitter(this.#options.random, waitMs, 0.25))
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.()
    this.#timers.delete(key)
  }
}
