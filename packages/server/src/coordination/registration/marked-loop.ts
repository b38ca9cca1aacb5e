import { backoffMs, jitter, sleep, type World } from '@strata/world'

/** More would only overtake each other. */
export const atOnce = 8

/** A store that refuses quickly is not asked without a pause; one that is back is noticed soon. */
const pauses = { firstMs: 500, maxMs: 4_000, attempts: Number.POSITIVE_INFINITY }

/**
 * Names that have to be seen to, some at a time, for as long as somebody runs it. One that is marked while it is being
 * seen to is seen to again; one that failed is tried again after a pause, which grows. Nobody waits for another name: a
 * resource whose record cannot be reached keeps no definition that was made meanwhile from being registered.
 */
export class MarkedLoop {
  readonly #world: Pick<World, 'clock' | 'random'>
  readonly #marked = new Set<string>()
  readonly #busy = new Map<string, Promise<void>>()
  readonly #failures = new Map<string, number>()
  /** Those that are marked again after a pause: one at a time, however often they fail meanwhile. */
  readonly #pausing = new Set<string>()
  #wake: (() => void) | undefined

  constructor(world: Pick<World, 'clock' | 'random'>) {
    this.#world = world
  }

  mark(...names: readonly string[]): void {
    for (const name of names) this.#marked.add(name)
    if (names.length > 0) this.#wake?.()
  }

  /** Until the signal is aborted, and whatever is under way has ended. `settle` says false when it has to be tried again. */
  async run(settle: (name: string) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#wake?.()
    signal.addEventListener('abort', onAbort, { once: true })
    while (!signal.aborted) {
      const name = this.#next()
      if (name === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      this.#marked.delete(name)
      this.#busy.set(name, this.#see(name, settle, signal))
    }
    await Promise.all(this.#busy.values())
    signal.removeEventListener('abort', onAbort)
  }

  #next(): string | undefined {
    if (this.#busy.size >= atOnce) return undefined
    for (const name of this.#marked) if (!this.#busy.has(name)) return name
    return undefined
  }

  async #see(name: string, settle: (name: string) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const isSettled = await settle(name)
    this.#busy.delete(name)
    if (isSettled) this.#failures.delete(name)
    else void this.#markLater(name, signal)
    this.#wake?.()
  }

  async #markLater(name: string, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#world
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    if (this.#pausing.has(name)) return
    this.#pausing.add(name)
    await sleep(clock, jitter(random, backoffMs(pauses, failures), 0.5), signal).then(
      () => {
        this.#pausing.delete(name)
        this.mark(name)
      },
      () => {},
    )
  }
}
