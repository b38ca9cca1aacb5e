import type { Clock } from '@strata/world'
import { FairQueue } from '../handlers/index.ts'

/** Some milliseconds of work at the most. */
const startsPerTurn = 64
/** More than a connection may have streams open; no client of HTTP/1.1 sends so many without reading an answer. */
const waitingEach = 1_000

/**
 * Starts so many requests in a turn of the event loop, then lets everything else have its turn. When more have come,
 * connections take turns: one that sends hundreds of requests at once does not delay the single one of another.
 */
export class Turns {
  readonly #clock: Clock
  readonly #queue = new FairQueue<() => void, object>(waitingEach)
  #waiting = 0
  #started = 0
  #isCounting = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** At once, if this turn has room and nothing waits. False if too many requests of this connection wait already. */
  start(connection: object, request: () => void): boolean {
    this.#countTurns()
    if (this.#waiting === 0 && this.#started < startsPerTurn) {
      this.#started++
      request()
      return true
    }
    if (!this.#queue.add(connection, request)) return false
    this.#waiting++
    return true
  }

  #countTurns(): void {
    if (this.#isCounting) return
    this.#isCounting = true
    this.#clock.soon(() => {
      this.#isCounting = false
      this.#started = 0
      if (this.#waiting > 0) this.#startWaiting()
    })
  }

  #startWaiting(): void {
    this.#countTurns()
    while (this.#started < startsPerTurn) {
      const next = this.#queue.next()
      if (!next) return
      this.#waiting--
      this.#started++
      next()
    }
  }
}
