interface Line<T> {
  readonly things: T[]
  /** How many turns others have had since this line had one. */
  passed: number
}

/**
 * Many things of one do not delay another's: they wait in a line for each, and who has used least gets the next turn; of
 * several who have used the same, the one who has waited longest.
 */
export class FairQueue<T, Who = string> {
  readonly #lines = new Map<Who, Line<T>>()
  readonly #waitingEach: number
  readonly #usedBy: ((who: Who) => number) | undefined
  readonly #mostPassed: number

  /**
   * `waitingEach` is how many things one may have waiting. Without `usedBy`, all count as having used the same. A line that
   * others were preferred to `mostPassed` times is next, whatever it has used. Otherwise: names are cheap, each text comes
   * under a new one that has used nothing, and a user who has used a little waits for ever.
   */
  constructor(waitingEach: number, usedBy?: (who: Who) => number, mostPassed = Number.POSITIVE_INFINITY) {
    this.#waitingEach = waitingEach
    this.#usedBy = usedBy
    this.#mostPassed = mostPassed
  }

  /** False if too many things of the same one wait already. */
  add(who: Who, thing: T): boolean {
    const { things } = this.#lineOf(who)
    if (things.length >= this.#waitingEach) return false
    things.push(thing)
    return true
  }

  /** Something that has had a turn and is not done: before the other things of the same one. */
  putBack(who: Who, thing: T): void {
    this.#lineOf(who).things.unshift(thing)
  }

  next(): T | undefined {
    const who = this.#whoIsNext()
    if (who === undefined) return undefined
    const things = this.#lines.get(who)?.things ?? []
    const thing = things.shift()
    // Behind all others, as maps keep the order in which keys were set.
    this.#lines.delete(who)
    for (const line of this.#lines.values()) line.passed++
    if (things.length > 0) this.#lines.set(who, { things, passed: 0 })
    return thing
  }

  /** Whether somebody else waits who has used less than that. */
  hasOtherBelow(who: Who, used: number): boolean {
    for (const other of this.#lines.keys()) {
      if (other !== who && (this.#usedBy?.(other) ?? 0) < used) return true
    }
    return false
  }

  /** The least use of the users who wait; undefined if none waits, or if this one does. */
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
    // Lines stand in the order of their last turn: the first that was passed so often has waited longest.
    for (const [who, { passed }] of this.#lines) {
      if (passed >= this.#mostPassed) return who
      const used = this.#usedBy?.(who) ?? 0
      if (used < least) [least, found] = [used, who]
    }
    return found
  }
}
