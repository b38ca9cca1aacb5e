/** A leaky bucket: sums recent costs, in any unit, and drains at a steady rate. */
export class LeakyBucket {
  readonly #unitsPerSecond: number
  #units = 0
  #atMs = 0

  constructor(unitsPerSecond: number) {
    this.#unitsPerSecond = unitsPerSecond
  }

  /** Adds units, or takes some back. Returns the sum that is left. */
  add(units: number, nowMs: number): number {
    const forgotten = ((nowMs - this.#atMs) / 1000) * this.#unitsPerSecond
    this.#units = Math.max(0, Math.max(0, this.#units - forgotten) + units)
    this.#atMs = nowMs
    return this.#units
  }
}
