import { type Clock, deadline } from '@strata/world'
import type { Store } from '../store/index.ts'

/** As upstream: a store that needs longer for the smallest read is unhealthy. */
const probeMs = 2_000
/** The store is probed at most this often. */
const minIntervalMs = 500

/** Whether the store answers. It is probed on request, not in the background. */
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

  /** The result of the last probe; undefined if it succeeded. */
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
