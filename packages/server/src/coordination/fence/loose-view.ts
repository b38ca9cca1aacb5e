import { oldestLooseViewMs } from '@strata/api'
import { abortable, deadline, sleep, type World } from '@strata/world'

/** What a server that does not guard its writes knows of the records, and how old that is (rule 14). */
export interface LooseView {
  /** Why nothing may be written by what is known; undefined if it may. */
  readonly problem: string | undefined
}

/** How often the age is measured, and from which age on nothing is written. */
const looseViewTimes = { measureEveryMs: 10_000, oldestMs: oldestLooseViewMs } as const

/** Pure: why a view that was complete at `asOfMs` is no ground to write on; undefined if it is. */
export function decideViewAge(asOfMs: number | undefined, nowMs: number): string | undefined {
  const { oldestMs } = looseViewTimes
  if (asOfMs === undefined) return 'this server has not seen yet which versions are selected'
  const ageMs = nowMs - asOfMs
  if (ageMs <= oldestMs) return undefined
  return `this server's view of the selected versions is ${Math.floor(ageMs / 1000)} seconds old; with the loose guarantee it writes only with a view of at most ${oldestMs / 1000} seconds`
}

/**
 * Measures the age of what the watch has told, against a quorum read of the store's revision: once the cache has applied
 * that revision, everything is known that was stored when the question was asked. On the monotonic clock, and looked at
 * by every write. Otherwise: a server is frozen for ten minutes while the others select v2; it thaws, and before its
 * watch says a word it stores v1.
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

  /** For those who look; undefined until it is known. */
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
      // Until it is known at all, somebody waits for it.
      const waitMs = this.#asOfMs === undefined ? 500 : looseViewTimes.measureEveryMs
      await sleep(this.#world.clock, waitMs, signal).catch(() => {})
    }
  }
}
