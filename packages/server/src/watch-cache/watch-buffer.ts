/** What one watcher may leave waiting. Far beyond it, it is cheaper for everyone that its client lists again. */
const maxItems = 10_000
const maxBytes = 16 * 1024 * 1024

interface Taker<T> {
  resolve(items: readonly T[]): void
  reject(reason: unknown): void
}

/**
 * From the cache, which cannot wait, to one watcher's connection, which can. Bounded in items and in bytes: a
 * client that does not read must not hold the server's memory. Everything that waits is taken at once, so that a
 * burst becomes one piece on the wire.
 */
export class WatchBuffer<T> {
  readonly #onEnd: () => void
  #items: T[] = []
  #bytes = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #taker: Taker<T> | undefined

  /** `onEnd` is called once, when nothing will be accepted any more. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** A watcher that is too far behind is cut off, and what waited for it is forgotten: it resumes where it was. */
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

  /** What was pushed before is still taken. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#give()
  }

  /** As `end`, but whoever takes hears why, after what was pushed before. */
  fail(error: unknown): void {
    if (this.#ended) return
    this.#failure = { error }
    this.end()
  }

  /** Everything that waits; nothing at all only at the end. For one reader, who asks again when he has sent it. */
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
