import { invariant } from './invariant.ts'

export interface AsyncQueueOptions {
  /** How many values may wait for the consumer. There is no default: an unbounded queue is a leak. */
  readonly limit: number
  /** Called once when the consumer stops early, so that the producer can unsubscribe. */
  readonly onReturn?: () => void
}

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(reason: unknown): void
}

/**
 * From a producer that cannot wait to a consumer that can. When it is full, `push` says so and the
 * producer decides: a watch ends the slow watcher, a log drops the line, a worker sheds load.
 *
 * A value goes either into the buffer or straight to a waiting `next()`, in one synchronous step, so
 * there is no moment in which a consumer could fall asleep beside a value.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #limit: number
  readonly #onReturn: (() => void) | undefined
  readonly #values: T[] = []
  readonly #waiters: Waiter<T>[] = []
  #closed: boolean = false
  #failure: { readonly error: unknown } | undefined

  constructor({ limit, onReturn }: AsyncQueueOptions) {
    invariant(limit >= 1, 'a queue needs room for at least one value')
    this.#limit = limit
    this.#onReturn = onReturn
  }

  /** How many values wait. */
  get size(): number {
    return this.#values.length
  }

  /** No value will be accepted any more; some may still wait to be read. */
  get closed(): boolean {
    return this.#closed
  }

  /** False when the queue is full or closed; the value was not taken then. */
  push(value: T): boolean {
    if (this.#closed) return false
    const waiter = this.#waiters.shift()
    if (waiter) {
      waiter.resolve({ done: false, value })
      return true
    }
    if (this.#values.length >= this.#limit) return false
    this.#values.push(value)
    return true
  }

  /** The end: what was pushed before is still read. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ done: true, value: undefined })
  }

  /** A bad end: what was pushed before is still read, then the error is thrown once. */
  fail(error: unknown): void {
    if (this.#closed) return
    const waiter = this.#waiters.shift()
    // If a reader waits, the buffer is empty, and the reader gets the failure.
    if (waiter) waiter.reject(error)
    else this.#failure = { error }
    this.close()
  }

  /** Forgets what waits, for an end that must not be preceded by old values. */
  clear(): void {
    this.#values.length = 0
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#values.length > 0) return { done: false, value: this.#values.shift() as T }
    if (this.#failure) {
      const { error } = this.#failure
      this.#failure = undefined
      throw error
    }
    if (this.#closed) return { done: true, value: undefined }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    const wasOpen = !this.#closed
    this.clear()
    this.#failure = undefined
    this.close()
    if (wasOpen) this.#onReturn?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
