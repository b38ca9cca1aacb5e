import { backoffMs, jitter, sleep, type World } from '@strata/world'

/** More concurrent changes would only lose races against each other. */
export const atOnce = 8

/** Pauses after failures: a store that refuses quickly is not flooded, and one that is back is noticed soon. */
const pauses = { firstMs: 500, maxMs: 4_000, attempts: Number.POSITIVE_INFINITY }

/**
 * Reconciles marked names, several at a time. A name that is marked while it is being reconciled is reconciled again. A
 * failed name is retried after a growing pause. Names do not wait for each other: a resource whose record cannot be reached
 * does not delay the registration of a new CRD.
 */
export class MarkedLoop {
  readonly #world: Pick<World, 'clock' | 'random'>
  readonly #marked = new Set<string>()
  readonly #busy = new Map<string, Promise<void>>()
  readonly #failures = new Map<string, number>()
  /** Names that wait for their pause: one pause per name, however often it fails meanwhile. */
  readonly #pausing = new Set<string>()
  #wake: (() => void) | undefined

  constructor(world: Pick<World, 'clock' | 'random'>) {
    this.#world = world
  }

  mark(...names: readonly string[]): void {
    for (const name of names) this.#marked.add(name)
    if (names.length > 0) this.#wake?.()
  }

  /** Runs until the signal is aborted and all work has ended. `reconcile` returns false if the name has to be retried. */
  async run(reconcile: (name: string) => Promise<boolean>, signal: AbortSignal): Promise<void> {
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
      this.#busy.set(name, this.#reconcile(name, reconcile, signal))
    }
    await Promise.all(this.#busy.values())
    signal.removeEventListener('abort', onAbort)
  }

  #next(): string | undefined {
    if (this.#busy.size >= atOnce) return undefined
    for (const name of this.#marked) if (!this.#busy.has(name)) return name
    return undefined
  }

  async #reconcile(
    name: string,
    reconcile: (name: string) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    const isDone = await reconcile(name)
    this.#busy.delete(name)
    if (isDone) this.#failures.delete(name)
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
