/** A callback that waits to run in a process. */
export interface Job {
  readonly label: string
  /** Absent once cancelled. */
  run: (() => void) | undefined
}

/**
 * Runs every callback of a process. While the process is frozen, callbacks are held; afterwards they run in their order of
 * arrival. A callback that arrives while others are still held runs after them: a chunk of a stream must not overtake another.
 */
export class Turnstile {
  readonly #scheduleNext: (label: string, next: () => void) => void
  #held: Job[] = []
  #state: 'open' | 'frozen' | 'closed' = 'open'
  #draining: boolean = false

  /** `scheduleNext` gives the held ones their turns, one event each. */
  constructor(scheduleNext: (label: string, next: () => void) => void) {
    this.#scheduleNext = scheduleNext
  }

  get state(): 'open' | 'frozen' | 'closed' {
    return this.#state
  }

  enter(job: Job): void {
    if (this.#state === 'closed') return
    if (this.#state === 'open' && this.#held.length === 0) job.run?.()
    else this.#held.push(job)
  }

  freeze(): void {
    if (this.#state === 'open') this.#state = 'frozen'
  }

  thaw(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'open'
    this.#drain()
  }

  /** For ever: held callbacks are dropped. */
  close(): void {
    this.#state = 'closed'
    this.#held = []
  }

  #drain(): void {
    const [first] = this.#held
    if (this.#draining || this.#state !== 'open' || !first) return
    this.#draining = true
    this.#scheduleNext(first.label, () => {
      this.#draining = false
      // It may have been frozen again, or crashed, before this turn came.
      if (this.#state !== 'open') return
      this.#held.shift()?.run?.()
      this.#drain()
    })
  }
}
