import { type Clock, type Log, sleep } from '@strata/world'

/** A starting fleet withholds much for a second or two, until all servers have reported. */
const settleMs = 5_000

/** Logs the withheld resources and the servers that lack them, once for each state that lasts. */
export class WithheldLog {
  readonly #world: { readonly clock: Clock; readonly log: Log }
  readonly #problem: () => string | undefined
  readonly #signal: AbortSignal
  #isDue = false
  #logged: string | undefined

  constructor(
    world: { readonly clock: Clock; readonly log: Log },
    problem: () => string | undefined,
    signal: AbortSignal,
  ) {
    this.#world = world
    this.#problem = problem
    this.#signal = signal
  }

  /** Called when the set of served resources changes. */
  check(): void {
    if (this.#isDue) return
    this.#isDue = true
    // Ends with the server: a remaining timer would keep the process alive.
    void sleep(this.#world.clock, settleMs, this.#signal).then(
      () => this.#tell(),
      () => {},
    )
  }

  #tell(): void {
    this.#isDue = false
    const problem = this.#problem()
    if (problem === this.#logged) return
    const { log } = this.#world
    if (problem === undefined) log.info('all servers serve the same resources; nothing is withheld')
    else
      log.warn('some resources are not served yet, because not all servers serve them', { withheld: problem })
    this.#logged = problem
  }
}
