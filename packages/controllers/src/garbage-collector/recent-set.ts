/** A set that drops its oldest item when it is full. */
export class RecentSet {
  readonly #limit: number
  readonly #items = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  has(item: string): boolean {
    return this.#items.has(item)
  }

  add(item: string): void {
    this.#items.delete(item)
    this.#items.add(item)
    if (this.#items.size <= this.#limit) return
    for (const oldest of this.#items) {
      this.#items.delete(oldest)
      return
    }
  }
}
