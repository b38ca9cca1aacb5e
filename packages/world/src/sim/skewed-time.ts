import { invariant } from '../invariant.ts'

/**
 * The clocks of one process. Drift changes both, like a bad quartz. A jump changes only the wall clock, as when an administrator
 * or a time daemon sets it.
 */
export class SkewedTime {
  readonly #trueNowMs: () => number
  readonly #wallStartMs: number
  readonly #originMs: number
  #rate = 1
  #sinceTrueMs: number
  #elapsedMs = 0
  #jumpedMs = 0

  /**
   * `wallStartMs` is what the wall clock shows now. `originMs` is what the monotonic clock shows: its
   * zero has no meaning, so each process gets another one.
   */
  constructor(trueNowMs: () => number, wallStartMs: number, originMs: number) {
    this.#trueNowMs = trueNowMs
    this.#wallStartMs = wallStartMs
    this.#originMs = originMs
    this.#sinceTrueMs = trueNowMs()
  }

  monotonicMs(): number {
    return this.#originMs + this.#elapsed()
  }

  /** Whole milliseconds, like the real one. */
  wallMs(): number {
    return Math.floor(this.#wallStartMs + this.#jumpedMs + this.#elapsed())
  }

  /** 1.01: this clock gains one second in a hundred. */
  setDrift(rate: number): void {
    invariant(rate > 0 && Number.isFinite(rate), 'a clock may be wrong, but it never stands still')
    this.#elapsedMs = this.#elapsed()
    this.#sinceTrueMs = this.#trueNowMs()
    this.#rate = rate
  }

  jumpWall(byMs: number): void {
    this.#jumpedMs += byMs
  }

  /** How long `skewedMs` on this clock takes in true time. */
  toTrueMs(skewedMs: number): number {
    return skewedMs / this.#rate
  }

  #elapsed(): number {
    return this.#elapsedMs + (this.#trueNowMs() - this.#sinceTrueMs) * this.#rate
  }
}
