import type { Clock } from '@strata/world'

export interface BudgetLimits {
  /** Writes under way at the same time, of all passes together. */
  readonly concurrency: number
  /** Writes and pages per second, of all passes together; undefined: as many as the servers take. */
  readonly perSecond?: number | undefined
}

/** Whether a pass may write now. `full`: it is woken when a write of another pass ends. */
export type Turn =
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'later'; readonly afterMs: number }

/** The share that one pass has in a budget. */
export interface BudgetSeat {
  /** Takes a turn for one write. Call `release` when the write has ended. */
  take(): Turn
  release(): void
  /** Counts a request that has to be sent in any case. */
  count(): void
  leave(): void
}

interface Seat {
  underWay: number
  readonly wake: () => void
}

/** Timers are late by some milliseconds: so many requests may be sent at once to make up for it. */
const catchUpMs = 50

/**
 * Limits the requests of several passes that run at the same time. Each pass gets an equal share, so that a resource with many
 * objects does not keep the others from starting.
 */
export class RequestBudget {
  readonly #clock: Clock
  readonly #limits: BudgetLimits
  readonly #seats = new Set<Seat>()
  #underWay = 0
  #dueMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, limits: BudgetLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  join(wake: () => void): BudgetSeat {
    const seat: Seat = { underWay: 0, wake }
    this.#seats.add(seat)
    return {
      take: () => this.#take(seat),
      release: () => {
        seat.underWay--
        this.#underWay--
        for (const each of this.#seats) if (each !== seat) each.wake()
      },
      count: () => this.#spend(this.#clock.monotonicMs()),
      leave: () => {
        this.#seats.delete(seat)
        for (const each of this.#seats) each.wake()
      },
    }
  }

  #take(seat: Seat): Turn {
    const { concurrency } = this.#limits
    const share = Math.max(1, Math.floor(concurrency / this.#seats.size))
    if (seat.underWay >= share || this.#underWay >= concurrency) return { kind: 'full' }
    const nowMs = this.#clock.monotonicMs()
    if (this.#dueMs > nowMs) return { kind: 'later', afterMs: this.#dueMs - nowMs }
    this.#spend(nowMs)
    seat.underWay++
    this.#underWay++
    return { kind: 'taken' }
  }

  #spend(nowMs: number): void {
    const { perSecond } = this.#limits
    if (perSecond !== undefined) this.#dueMs = Math.max(this.#dueMs, nowMs - catchUpMs) + 1000 / perSecond
  }
}
