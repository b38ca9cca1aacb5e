import type { Clock } from '@strata/world'

/** What takes some milliseconds to be parsed and checked. */
const largeBytes = 64 * 1024

/**
 * Large bodies are looked at one after the other, with turns for everybody else in between. Otherwise: somebody installs
 * fifty definitions at once, all of them have arrived, and nobody else is answered until the last has been validated.
 */
export class LargeBodies {
  readonly #clock: Clock
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when it is this one's turn; undefined for one that need not wait. */
  turn(bytes: number): Promise<void> | undefined {
    if (bytes < largeBytes) return undefined
    this.#last = this.#last.then(() => new Promise<void>((resolve) => this.#clock.soon(resolve)))
    return this.#last
  }
}
