/** Work that is ready, and work that has to wait; each in its order. */
export class WorkList<T> {
  readonly #ready: T[] = []
  /** By the time at which it is due, the earliest first. */
  readonly #later: { readonly work: T; readonly dueMs: number }[] = []
  #taken = 0

  add(work: T): void {
    this.#ready.push(work)
  }

  defer(work: T, dueMs: number): void {
    let index = this.#later.length
    while (index > 0 && (this.#later[index - 1]?.dueMs ?? 0) > dueMs) index--
    this.#later.splice(index, 0, { work, dueMs })
  }

  /** Retries that are due come first: the oldest page waits for them. */
  take(nowMs: number): T | undefined {
    const due = this.#later[0]
    if (due && due.dueMs <= nowMs) {
      this.#later.shift()
      return due.work
    }
    const work = this.#ready[this.#taken]
    if (work === undefined) return undefined
    this.#taken++
    // Shifting a long list for every object would cost more than the object.
    if (this.#taken >= 1024) {
      this.#ready.splice(0, this.#taken)
      this.#taken = 0
    }
    return work
  }

  /** Whether `take` would return something. */
  hasReady(nowMs: number): boolean {
    return this.ready > 0 || (this.nextDueMs ?? Number.POSITIVE_INFINITY) <= nowMs
  }

  /** Forgets all but these. */
  keep(isKept: (work: T) => boolean): void {
    const ready = this.#ready.slice(this.#taken).filter(isKept)
    const later = this.#later.filter(({ work }) => isKept(work))
    this.#ready.splice(0, this.#ready.length, ...ready)
    this.#later.splice(0, this.#later.length, ...later)
    this.#taken = 0
  }

  get isEmpty(): boolean {
    return this.ready === 0 && this.deferred === 0
  }

  get ready(): number {
    return this.#ready.length - this.#taken
  }

  get deferred(): number {
    return this.#later.length
  }

  get nextDueMs(): number | undefined {
    return this.#later[0]?.dueMs
  }
}
