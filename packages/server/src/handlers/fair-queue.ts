/**
 * Many things of one do not delay another's: they wait in a line for each, and who has used least gets the next turn; of
 * several who have used the same, the one who has waited longest.
 */
export class FairQueue<T, Who = string> {
  readonly #lines = new Map<Who, T[]>()
  readonly #waitingEach: number
  readonly #usedBy: ((who: Who) => number) | undefined

  /** `waitingEach` is how many things one may have waiting. Without `usedBy`, all count as having used the same. */
  constructor(waitingEach: number, usedBy?: (who: Who) => number) {
    this.#waitingEach = waitingEach
    this.#usedBy = usedBy
  }

  /** False if too many things of the same one wait already. */
  add(who: Who, thing: T): boolean {
    const line = this.#lines.get(who) ?? []
    if (line.length >= this.#waitingEach) return false
    line.push(thing)
    this.#lines.set(who, line)
    return true
  }

  /** Something that has had a turn and is not done: before the other things of the same one. */
  putBack(who: Who, thing: T): void {
    this.#lines.set(who, [thing, ...(this.#lines.get(who) ?? [])])
  }

  next(): T | undefined {
    const who = this.#whoIsNext()
    if (who === undefined) return undefined
    const line = this.#lines.get(who) ?? []
    const thing = line.shift()
    // Behind all others, as maps keep the order in which keys were set.
    this.#lines.delete(who)
    if (line.length > 0) this.#lines.set(who, line)
    return thing
  }

  /** Whether somebody else waits who has used less than that. */
  hasOtherBelow(who: Who, used: number): boolean {
    for (const other of this.#lines.keys()) {
      if (other !== who && (this.#usedBy?.(other) ?? 0) < used) return true
    }
    return false
  }

  remove(who: Who, thing: T): void {
    const rest = this.#lines.get(who)?.filter((each) => each !== thing)
    if (rest === undefined) return
    if (rest.length === 0) this.#lines.delete(who)
    else this.#lines.set(who, rest)
  }

  #whoIsNext(): Who | undefined {
    let least = Number.POSITIVE_INFINITY
    let found: Who | undefined
    for (const who of this.#lines.keys()) {
      const used = this.#usedBy?.(who) ?? 0
      if (used < least) [least, found] = [used, who]
      if (used === 0) break
    }
    return found
  }
}
