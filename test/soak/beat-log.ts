/** The heartbeats that one watch has seen: each must come once, and in order. */
export class BeatLog {
  readonly gaps: string[] = []
  #last = 0

  /** Zero before the first. */
  get last(): number {
    return this.#last
  }

  take(beat: number): void {
    if (this.#last > 0 && beat !== this.#last + 1) this.gaps.push(`${beat} after ${this.#last}`)
    this.#last = beat
  }

  /** The past has expired: what came in between is not seen, and is no gap. */
  restart(): void {
    this.#last = 0
  }
}
