export interface SimEvent {
  readonly atMs: number
  /** Orders what happens at one moment: a `soon` belongs to the round after the one that asked for it. */
  readonly round: number
  /** Drawn from the seed: among events that could happen in any order, the seed picks one. */
  readonly tie: number
  /** Two equal ties would leave the order to the shape of the heap. */
  readonly sequence: number
  readonly owner: string
  readonly label: string
  /** Absent once cancelled, so that a cancelled timer keeps nothing alive. */
  run: (() => void) | undefined
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs
  if (a.round !== b.round) return a.round < b.round
  if (a.tie !== b.tie) return a.tie < b.tie
  return a.sequence < b.sequence
}

/** A binary heap. Cancelled events stay until they reach the top, or until they are more than half of it. */
export class EventQueue {
  #heap: SimEvent[] = []
  #cancelled = 0

  push(event: SimEvent): void {
    this.#heap.push(event)
    this.#rise(this.#heap.length - 1)
  }

  cancel(event: SimEvent): void {
    if (!event.run) return
    event.run = undefined
    this.#cancelled++
    // Most timers are deadlines that are cancelled; without this they would be most of the heap.
    if (this.#cancelled > 64 && this.#cancelled > this.#heap.length / 2) this.#sweep()
  }

  peek(): SimEvent | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (!first || first.run) return first
      this.#removeFirst()
      this.#cancelled--
    }
  }

  pop(): SimEvent | undefined {
    const first = this.peek()
    if (first) this.#removeFirst()
    return first
  }

  #sweep(): void {
    // A sorted array is a heap, and the order is total, so a sweep cannot change what comes next.
    this.#heap = this.#heap.filter((event) => event.run).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#cancelled = 0
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last
      this.#sink(0)
    }
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#swapIfBefore(at, parent)) return
      at = parent
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = this.#heap[2 * at + 1]
      const right = this.#heap[2 * at + 2]
      if (!left) return
      const child = right && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
      if (!this.#swapIfBefore(child, at)) return
      at = child
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#heap[lower]
    const b = this.#heap[upper]
    if (!a || !b || !isBefore(a, b)) return false
    this.#heap[lower] = b
    this.#heap[upper] = a
    return true
  }
}
