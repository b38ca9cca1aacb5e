import type { Clock } from '@strata/world'

/** What passes sooner is not worth a word. */
const wordsAfterMs = 3_000

/** Whether anything moves, and if not, what is in the way: for those who wait, long before it is given up. */
export class StallDetector {
  readonly #clock: Clock
  #sinceMs: number | undefined
  #because = ''

  constructor(clock: Clock) {
    this.#clock = clock
  }

  moved(): void {
    this.#sinceMs = undefined
  }

  failed(because: string): void {
    this.#sinceMs ??= this.#clock.monotonicMs()
    this.#because = because
  }

  /** The last failure, once there has been nothing but failures for a while. */
  get waitingFor(): string | undefined {
    if (this.#sinceMs === undefined) return undefined
    return this.#clock.monotonicMs() - this.#sinceMs >= wordsAfterMs ? this.#because : undefined
  }
}
