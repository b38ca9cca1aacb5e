import { type Clock, deadline } from '@strata/world'
import type { Store } from '../store/index.ts'

/** As upstream: whoever needs longer for the smallest read is not well. */
const probeMs = 2_000
/** However many ask, the store is not asked more often than that. */
const minIntervalMs = 500

/** Whether the store answers; asked when somebody wants to know, and not in the background. */
export class StoreHealth {
  readonly #store: Pick<Store, 'currentRevision'>
  readonly #clock: Clock
  #problem: string | undefined
  #probing: Promise<void> | undefined
  #probedAtMs = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, 'currentRevision'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** What was found last; undefined if all was well. */
  get problem(): string | undefined {
    return this.#problem
  }

  refresh(): Promise<void> {
    if (this.#probing !== undefined) return this.#probing
    if (this.#clock.monotonicMs() - this.#probedAtMs < minIntervalMs) return Promise.resolve()
    this.#probing = this.#probe().finally(() => {
      this.#probing = undefined
      this.#probedAtMs = this.#clock.monotonicMs()
    })
    return this.#probing
  }

  async #probe(): Promise<void> {
    const limit = deadline(this.#clock, probeMs)
    try {
      await this.#store.currentRevision(limit.signal)
      this.#problem = undefined
    } catch (error) {
      this.#problem = `error getting data from the store: ${error instanceof Error ? error.message : error}`
    } finally {
      limit.dispose()
    }
  }
}
