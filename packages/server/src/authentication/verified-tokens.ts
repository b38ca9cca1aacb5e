import { hash } from 'node:crypto'
import type { Clock } from '@strata/world'

interface Kept<T> {
  readonly value: T
  readonly untilMs: number
}

/** How many, and for how long. The caller must still check whether the objects of the value have changed. */
const limit = 4096
const keptMs = 60_000

/** Verified tokens by digest: a signature is verified once a minute, and no token is kept in memory in clear text. */
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

  /** A map keeps its insertion order. */
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
