import type { Clock } from '@strata/world'

/** Takes a few milliseconds to parse and validate. */
const largeBytes = 64 * 1024

/**
 * Handles large bodies one after the other, and lets other requests run in between. Otherwise: a client installs fifty CRDs
 * at once, all have arrived, and no other request is answered until the last is validated.
 */
export class LargeBodies {
  readonly #clock: Clock
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when it is this body's turn; undefined if it need not wait. */
  turn(bytes: number): Promise<void> | undefined {
    if (bytes < largeBytes) return undefined
    this.#last = this.#last.then(() => new Promise<void>((resolve) => this.#clock.soon(resolve)))
    return this.#last
  }
}
