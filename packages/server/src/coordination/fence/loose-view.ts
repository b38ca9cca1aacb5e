import { oldestLooseViewMs } from '@strata/api'
import { abortable, deadline, sleep, type World } from '@strata/world'

/** The view of the records that a loose server writes by (rule 14). */
export interface LooseView {
  /** Why the view does not allow writes; undefined if it does. */
  readonly problem: string | undefined
}

/** How often the age is measured, and the age beyond which nothing is written. */
const looseViewTimes = { measureEveryMs: 10_000, oldestMs: oldestLooseViewMs } as const

/** Pure: why a view that was complete at `asOfMs` does not allow writes; undefined if it does. */
export function decideViewAge(asOfMs: number | undefined, nowMs: number): string | undefined {
  const { oldestMs } = looseViewTimes
  if (asOfMs === undefined) return 'this server has not seen yet which versions are selected'
  const ageMs = nowMs - asOfMs
  if (ageMs <= oldestMs) return undefined
  return `this server's view of the selected versions is ${Math.floor(ageMs / 1000)} seconds old; with the loose guarantee it writes only with a view of at most ${oldestMs / 1000} seconds`
}

/**
 * Measures the age of the cache against a quorum read of the store's revision: once the cache has applied that revision, it
 * has everything that was stored when the read began. Every write checks the age, on the monotonic clock. Otherwise: a
 * server is frozen for ten minutes while the others select v2; it thaws, and stores v1 before its watch delivers an event.
 */
export class ViewAge implements LooseView {
  readonly #world: World
  readonly #catchUp: (signal: AbortSignal) => Promise<unknown>
  readonly #decide: typeof decideViewAge
  readonly #known = Promise.withResolvers<void>()
  #asOfMs: number | undefined

  /** `catchUp` resolves when the cache has applied what was newest in the store when it was called. */
  constructor(
    world: World,
    catchUp: (signal: AbortSignal) => Promise<unknown>,
    decide: typeof decideViewAge = decideViewAge,
  ) {
    this.#world = world
    this.#catchUp = catchUp
    this.#decide = decide
  }

  get problem(): string | undefined {
    return this.#decide(this.#asOfMs, this.#world.clock.monotonicMs())
  }

  /** For metrics; undefined until it is known. */
  get ageMs(): number | undefined {
    return this.#asOfMs === undefined ? undefined : this.#world.clock.monotonicMs() - this.#asOfMs
  }

  /** Resolves when it has been measured for the first time. */
  get known(): Promise<void> {
    return this.#known.promise
  }

  /** One measurement. A store that does not answer makes the view no younger. */
  async measure(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world
    const askedMs = clock.monotonicMs()
    const limit = deadline(clock, looseViewTimes.measureEveryMs, signal)
    try {
      await abortable(this.#catchUp(limit.signal), limit.signal)
      this.#asOfMs = askedMs
      this.#known.resolve()
    } catch (error) {
      if (!signal.aborted)
        log.warn('could not read the store to renew the view of the records', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.measure(signal)
      // Readiness waits for the first measurement.
      const waitMs = this.#asOfMs === undefined ? 500 : looseViewTimes.measureEveryMs
      await sleep(this.#world.clock, waitMs, signal).catch(() => {})
    }
  }
}
