interface Line<T> {
  readonly things: T[]
  /** How often others were preferred since this line had its last turn. */
  passed: number
}

/**
 * A queue with one line per user: many items of one user do not delay another's. The user with the least use is next; among
 * equals, the one who has waited longest.
 */
export class FairQueue<T, Who = string> {
  readonly #lines = new Map<Who, Line<T>>()
  readonly #waitingEach: number
  readonly #usedBy: ((who: Who) => number) | undefined
  readonly #mostPassed: number

  /**
   * `waitingEach` is how many items a user may have waiting. Without `usedBy`, all users count as equal. A line that was
   * passed over `mostPassed` times is next, whatever its use. Otherwise: names are cheap; each text comes under a new name
   * without any use; and a user with a little use waits for ever.
   */
  constructor(waitingEach: number, usedBy?: (who: Who) => number, mostPassed = Number.POSITIVE_INFINITY) {
    this.#waitingEach = waitingEach
    this.#usedBy = usedBy
    this.#mostPassed = mostPassed
  }

  /** False if this user has too many items waiting. */
  add(who: Who, thing: T): boolean {
    const { things } = this.#lineOf(who)
    if (things.length >= this.#waitingEach) return false
    things.push(thing)
    return true
  }

  /** Puts back an item that had a turn and is not done, before the other items of its user. */
  putBack(who: Who, thing: T): void {
    this.#lineOf(who).things.unshift(thing)
  }

  next(): T | undefined {
    const who = this.#whoIsNext()
    if (who === undefined) return undefined
    const things = this.#lines.get(who)?.things ?? []
    const thing = things.shift()
    // Behind all others: maps keep the order in which keys were set.
    this.#lines.delete(who)
    for (const line of this.#lines.values()) line.passed++
    if (things.length > 0) this.#lines.set(who, { things, passed: 0 })
    return thing
  }

  /** Whether another user with less use waits. */
  hasOtherBelow(who: Who, used: number): boolean {
    for (const other of this.#lines.keys()) {
      if (other !== who && (this.#usedBy?.(other) ?? 0) < used) return true
    }
    return false
  }

  /** The least use of the users who wait; undefined if none waits, or if this user waits. */
  leastBefore(newcomer: Who): number | undefined {
    if (this.#lines.size === 0 || this.#lines.has(newcomer)) return undefined
    return Math.min(...[...this.#lines.keys()].map((who) => this.#usedBy?.(who) ?? 0))
  }

  remove(who: Who, thing: T): void {
    const line = this.#lines.get(who)
    if (!line) return
    const at = line.things.indexOf(thing)
    if (at >= 0) line.things.splice(at, 1)
    if (line.things.length === 0) this.#lines.delete(who)
  }

  #lineOf(who: Who): Line<T> {
    let line = this.#lines.get(who)
    if (!line) {
      line = { things: [], passed: 0 }
      this.#lines.set(who, line)
    }
    return line
  }

  #whoIsNext(): Who | undefined {
    let least = Number.POSITIVE_INFINITY
    let found: Who | undefined
    // Lines are in the order of their last turn: the first that was passed so often has waited longest.
    for (const [who, { passed }] of this.#lines) {
      if (passed >= this.#mostPassed) return who
      const used = this.#usedBy?.(who) ?? 0
      if (used < least) [least, found] = [used, who]
    }
    return found
  }
}
