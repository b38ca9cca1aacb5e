/** A callback that waits to run in a process. */
export interface Job {
  readonly label: string
  /** Absent once cancelled. */
  run: (() => void) | undefined
}

/**
 * The one entrance through which anything comes to run in a process. While the process is frozen, what
 * comes is held, and afterwards it runs in the order in which it came; what comes while some are still
 * held goes behind them, or a chunk of a stream could overtake the one before it.
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

  /** For ever: what is held is forgotten. */
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
