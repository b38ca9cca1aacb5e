import type { Clock } from '@strata/world'
import { FairQueue } from '../handlers/index.ts'

/** A few milliseconds of work. */
const startsPerTurn = 64
/** More than the streams that a connection may have open. No HTTP/1.1 client sends so many without reading an answer. */
const waitingEach = 1_000

/**
 * Starts a limited number of requests per turn of the event loop. When more wait, connections take turns: hundreds of
 * requests on one connection do not delay a single request on another.
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

  /** Starts the request at once if nothing waits and this turn has room. False if this connection has too many waiting. */
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
