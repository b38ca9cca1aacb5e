/** Which directions between which names are cut. */
export class Partitions {
  readonly #cuts = new Map<string, number>()
  #count = 0

  cut(from: string, to: string): void {
    const direction = `${from} → ${to}`
    if (!this.#cuts.has(direction)) this.#cuts.set(direction, ++this.#count)
  }

  heal(from: string, to: string): void {
    this.#cuts.delete(`${from} → ${to}`)
  }

  healAll(): void {
    this.#cuts.clear()
  }

  /** A number that names this cut, so that one that was healed and came back is not taken for the old. */
  find(from: string, to: string): number | undefined {
    return this.#cuts.get(`${from} → ${to}`)
  }
}
