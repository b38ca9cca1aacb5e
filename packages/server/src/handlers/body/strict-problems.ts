/** As upstream: further problems are not reported. */
const mostProblems = 100

/** The strict decoding problems of one document: each once, up to a limit. */
export class StrictProblems {
  readonly #found = new Set<string>()

  add(problem: string): void {
    if (this.#found.size < mostProblems) this.#found.add(problem)
  }

  get found(): readonly string[] {
    return [...this.#found]
  }
}
