/** Runs a limited number of tasks at once; the others wait for their turn. */
export class Slots {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken++
    try {
      return await task()
    } finally {
      this.#taken--
      this.#waiting.shift()?.()
    }
  }
}
