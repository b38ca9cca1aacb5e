/** Runs a limited number of tasks at once; the others wait for their turn. */
export class Slots {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#limit) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      // The slot goes to the next task while it is still taken. If it were free until that task goes on, a new one could take it
      // first, and both would run.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken--
    }
  }
}
