import type { Clock } from '@strata/world'

/** How long this process has seen things unchanged, by its own monotonic clock. */
export class ChangeTimer {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call it with each observation; another mark restarts the time. */
  unchangedForMs(key: string, mark: string): number {
    const nowMs = this.#clock.monotonicMs()
    const before = this.#seen.get(key)
    if (before?.mark === mark) return nowMs - before.sinceMs
    this.#seen.set(key, { mark, sinceMs: nowMs })
    return 0
  }

  /** Forgets all other keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key)
  }
}
