import { type Clock, type Log, sleep } from '@strata/world'

/** A fleet that starts withholds much for a second or two, while some have spoken and others have not. */
const settleMs = 5_000

/** Says what is withheld for want of agreement, and because of whom: once for each state that lasts. */
export class WithheldLog {
  readonly #world: { readonly clock: Clock; readonly log: Log }
  readonly #problem: () => string | undefined
  readonly #signal: AbortSignal
  #isDue = false
  #told: string | undefined

  constructor(
    world: { readonly clock: Clock; readonly log: Log },
    problem: () => string | undefined,
    signal: AbortSignal,
  ) {
    this.#world = world
    this.#problem = problem
    this.#signal = signal
  }

  /** Something else is served than before. */
  check(): void {
    if (this.#isDue) return
    this.#isDue = true
    // Ends with the server: a timer that is left behind would keep the process.
    void sleep(this.#world.clock, settleMs, this.#signal).then(
      () => this.#tell(),
      () => {},
    )
  }

  #tell(): void {
    this.#isDue = false
    const problem = this.#problem()
    if (problem === this.#told) return
    const { log } = this.#world
    if (problem === undefined) log.info('all servers serve the same resources; nothing is withheld')
    else
      log.warn('some resources are not served yet, because not all servers serve them', { withheld: problem })
    this.#told = problem
  }
}
