/** As upstream: whoever sends more is not told of each. */
const mostProblems = 100

/** What a strict decoder has to say about one document: each thing once, and not without end. */
export class StrictProblems {
  readonly #found = new Set<string>()

  add(problem: string): void {
    if (this.#found.size < mostProblems) this.#found.add(problem)
  }

  get found(): readonly string[] {
    return [...this.#found]
  }
}
