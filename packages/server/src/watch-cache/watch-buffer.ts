/** The backlog limit of one watcher. A longer backlog costs more than a new list of its client. */
const maxItems = 10_000
const maxBytes = 16 * 1024 * 1024

interface Taker<T> {
  resolve(items: readonly T[]): void
  reject(reason: unknown): void
}

/**
 * Connects the cache, which cannot wait, to the connection of one watcher, which can. Bounded in items and in bytes: a client
 * that does not read must not hold the server's memory. The reader takes all items at once, so that a burst becomes one write to
 * the connection.
 */
export class WatchBuffer<T> {
  readonly #onEnd: () => void
  #items: T[] = []
  #bytes = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #taker: Taker<T> | undefined

  /** `onEnd` is called once, when no more items are accepted. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** Ends the watch of a slow client whose backlog is too long, and drops the backlog: it resumes from its last revision. */
  push(item: T, bytes: number): void {
    if (this.#ended) return
    if (this.#items.length >= maxItems || this.#bytes + bytes > Math.max(maxBytes, bytes)) {
      this.#items = []
      this.end()
      return
    }
    this.#items.push(item)
    this.#bytes += bytes
    this.#give()
  }

  /** Items that were pushed before are still delivered. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#give()
  }

  /** Like `end`, but the reader gets the error after the items that were pushed before. */
  fail(error: unknown): void {
    if (this.#ended) return
    this.#failure = { error }
    this.end()
  }

  /** All waiting items; an empty list only at the end. For one reader, which calls it again after sending them. */
  take(): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject }
      this.#give()
    })
  }

  #give(): void {
    const taker = this.#taker
    if (!taker || (this.#items.length === 0 && !this.#ended)) return
    this.#taker = undefined
    if (this.#items.length === 0 && this.#failure) {
      const { error } = this.#failure
      this.#failure = undefined
      taker.reject(error)
      return
    }
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    taker.resolve(items)
  }
}
