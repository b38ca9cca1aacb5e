import type { Cancel, Clock } from '@strata/world'

/** The time of a cluster, in the hands of the test. */
export interface ClusterTime {
  now(): Date
  /**
   * Moves the time on. Timers that become due are called one after another, each at its own moment. Resolves when what they
   * started has had its turn.
   */
  advance(milliseconds: number): Promise<void>
  /** Time stands still. Only `advance` moves it. */
  freeze(): void
  /** Time passes as usual, from where it is. */
  resume(): void
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** A call of a timer often starts a chain of reads and writes of the store; each link takes one turn of the event loop. */
const turnsAfterTimer = 10

/**
 * Runs beside another clock: at the same speed, from another moment. Frozen, it calls no timer until `advance` passes it, so a
 * server that waits for a timer waits for the test.
 */
export class SteeredClock implements Clock, ClusterTime {
  readonly #base: Clock
  /** Wall minus monotonic time. */
  readonly #wallOffsetMs: number
  /** Ordered by the time when they are due, then by their age. */
  readonly #timers: Timer[] = []
  #offsetMs: number = 0
  #frozenAtMs: number | undefined
  /** The test wants it frozen; it also stands still while it advances. */
  #isFrozen = false
  #wake: Cancel | undefined
  #advancing: Promise<void> = Promise.resolve()

  constructor(base: Clock, startAtMs: number = base.wallMs()) {
    this.#base = base
    this.#wallOffsetMs = startAtMs - base.monotonicMs()
  }

  wallMs(): number {
    return Math.floor(this.monotonicMs() + this.#wallOffsetMs)
  }

  monotonicMs(): number {
    return this.#frozenAtMs ?? this.#base.monotonicMs() + this.#offsetMs
  }

  soon(callback: () => void): void {
    this.#base.soon(callback)
  }

  after(delayMs: number, callback: () => void): Cancel {
    const timer: Timer = { dueMs: this.monotonicMs() + Math.max(0, delayMs), callback }
    const later = this.#timers.findIndex(({ dueMs }) => dueMs > timer.dueMs)
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer)
    if (this.#timers[0] === timer) this.#arm()
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index < 0) return
      this.#timers.splice(index, 1)
      if (index === 0) this.#arm()
    }
  }

  now(): Date {
    return new Date(this.wallMs())
  }

  freeze(): void {
    this.#isFrozen = true
    this.#hold()
  }

  /** Also ends an advance that is under way: a cluster that stops waits for timers. */
  resume(): void {
    this.#isFrozen = false
    this.#release()
  }

  #hold(): void {
    this.#frozenAtMs ??= this.monotonicMs()
    this.#arm()
  }

  #release(): void {
    if (this.#frozenAtMs === undefined) return
    this.#offsetMs = this.#frozenAtMs - this.#base.monotonicMs()
    this.#frozenAtMs = undefined
    this.#arm()
  }

  advance(milliseconds: number): Promise<void> {
    if (!(milliseconds >= 0)) {
      throw new RangeError(`time.advance(${milliseconds}): time moves forward by a number of milliseconds`)
    }
    // One after another: each begins where the one before has ended.
    const advance = this.#advancing.then(() => this.#moveOn(milliseconds))
    this.#advancing = advance.catch(() => {})
    return advance
  }

  async #moveOn(milliseconds: number): Promise<void> {
    this.#hold()
    const target = this.monotonicMs() + milliseconds
    try {
      for (;;) {
        await this.#turns()
        if (this.#frozenAtMs === undefined) return
        const [next] = this.#timers
        if (!next || next.dueMs > target) break
        this.#timers.shift()
        this.#frozenAtMs = Math.max(this.monotonicMs(), next.dueMs)
        next.callback()
      }
      this.#frozenAtMs = target
    } finally {
      if (!this.#isFrozen) this.#release()
    }
  }

  async #turns(): Promise<void> {
    for (let turn = 0; turn < turnsAfterTimer; turn++) {
      await new Promise<void>((resolve) => this.#base.soon(resolve))
    }
  }

  /** The base clock wakes this one for its first timer. */
  #arm(): void {
    this.#wake?.()
    this.#wake = undefined
    const [first] = this.#timers
    if (!first || this.#frozenAtMs !== undefined) return
    this.#wake = this.#base.after(Math.max(0, first.dueMs - this.monotonicMs()), () => this.#callDue())
  }

  #callDue(): void {
    this.#wake = undefined
    for (;;) {
      const [first] = this.#timers
      if (!first || this.#frozenAtMs !== undefined || first.dueMs > this.monotonicMs()) break
      this.#timers.shift()
      first.callback()
    }
    if (this.#wake === undefined) this.#arm()
  }
}
