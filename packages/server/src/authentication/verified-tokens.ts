import { hash } from 'node:crypto'
import type { Clock } from '@strata/world'

interface Kept<T> {
  readonly value: T
  readonly untilMs: number
}

/** How many, and for how long. Whoever has a value must still ask whether what it depends on has changed. */
const limit = 4096
const keptMs = 60_000

/**
 * Tokens that were found to be right, by their digests: a signature is checked once a minute and not once a request,
 * and no token stands in memory in the clear.
 */
export class VerifiedTokens<T> {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept<T>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(token: string): T | undefined {
    const kept = this.#kept.get(digest(token))
    return kept && kept.untilMs > this.#clock.monotonicMs() ? kept.value : undefined
  }

  set(token: string, value: T): void {
    const key = digest(token)
    this.#kept.delete(key)
    if (this.#kept.size >= limit) this.#forgetOldest()
    this.#kept.set(key, { value, untilMs: this.#clock.monotonicMs() + keptMs })
  }

  /** A map remembers the order in which it was filled. */
  #forgetOldest(): void {
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest)
      return
    }
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64')
}
