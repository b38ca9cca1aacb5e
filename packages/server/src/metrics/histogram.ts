import { sample } from './text.ts'

/** Durations in buckets; each observation changes one number. */
export class Histogram {
  readonly #bounds: readonly number[]
  /** Per bucket, not cumulative: that is computed at a scrape. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    // Most requests end in the first bucket, so a search from below is the shortest.
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  text(name: string, labels: string): string {
    const comma = labels === '' ? '' : ','
    let total = 0
    let text = ''
    this.#counts.forEach((count, at) => {
      total += count
      const bound = this.#bounds[at]
      text += sample(`${name}_bucket`, `${labels}${comma}le="${bound ?? '+Inf'}"`, total)
    })
    return `${text}${sample(`${name}_sum`, labels, this.#sum)}${sample(`${name}_count`, labels, total)}`
  }
}
