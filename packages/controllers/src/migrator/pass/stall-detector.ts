import type { Clock } from '@strata/world'

/** Shorter stalls are not reported. */
const reportAfterMs = 3_000

/** Detects that a migration makes no progress, and why, long before it fails. */
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

  /** The last failure, after a while without a success. */
  get waitingFor(): string | undefined {
    if (this.#sinceMs === undefined) return undefined
    return this.#clock.monotonicMs() - this.#sinceMs >= reportAfterMs ? this.#because : undefined
  }
}
