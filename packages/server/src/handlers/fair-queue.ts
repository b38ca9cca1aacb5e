/** Who has waited longest gets the next turn, and then everybody else before him: many things of one do not delay another's. */
export class FairQueue<T, Who = string> {
  readonly #lines = new Map<Who, T[]>()
  readonly #waitingEach: number

  /** `waitingEach` is how many things one may have waiting. */
  constructor(waitingEach: number) {
    this.#waitingEach = waitingEach
  }

  /** False if too many things of the same one wait already. */
  add(who: Who, thing: T): boolean {
    const line = this.#lines.get(who) ?? []
    if (line.length >= this.#waitingEach) return false
    line.push(thing)
    this.#lines.set(who, line)
    return true
  }

  next(): T | undefined {
    for (const [who, line] of this.#lines) {
      const thing = line.shift()
      // Behind all others, as maps keep the order in which keys were set.
      this.#lines.delete(who)
      if (line.length > 0) this.#lines.set(who, line)
      return thing
    }
    return undefined
  }

  remove(who: Who, thing: T): void {
    const rest = this.#lines.get(who)?.filter((each) => each !== thing)
    if (rest === undefined) return
    if (rest.length === 0) this.#lines.delete(who)
    else this.#lines.set(who, rest)
  }
}
