import { nodeClock } from '@strata/world/node'
import { type RunEnd, type RunOptions, Simulation, type TraceOptions } from '@strata/world/sim'

/** Something real that is on its way: an answer of the store, of a thread, of a peer. */
export interface Awaited {
  /** It has come, or nobody waits for it any more. */
  end(): void
}

interface Aside {
  readonly isOwed: () => boolean
  heldForMs: number
}

interface Wait {
  readonly dueMs: number
  readonly isHeld: () => boolean
  readonly patienceMs: number
  heldForMs: number
}

/** How long simulated time waits for one real answer. Afterwards it is slow, as things may be, and time goes on. */
const answerPatienceMs = 3_000
/** How long for what nobody asked for, such as the answer to a ping. */
const asidePatienceMs = 200
/** How often to look whether patience is at its end. */
const lookMs = 2

/**
 * Keeps simulated time from running ahead of real work. Whatever is real has some simulated time for its work; when that is
 * over, and it has not come, the simulation waits for it.
 */
export class Reality {
  readonly #waits = new Set<Wait>()
  readonly #asides = new Set<Aside>()
  #wake: () => void = () => {}
  #nowMs: () => number = () => 0
  #schedule: (delayMs: number) => void = () => {}
  /** How many answers it stopped waiting for. */
  givenUp = 0

  attach(simulation: Simulation): void {
    this.#nowMs = () => simulation.nowMs
    // The simulation goes from event to event: without one at that moment, it would jump over it.
    this.#schedule = (delayMs) => void simulation.schedule(delayMs, 'an answer is due', () => {})
  }

  /** Due after `allowedMs` of simulated time. While `isHeld`, a simulated fault is why it does not come: time goes on. */
  expect(allowedMs: number, isHeld: () => boolean, patienceMs = answerPatienceMs): Awaited {
    const wait: Wait = { dueMs: this.#nowMs() + allowedMs, isHeld, patienceMs, heldForMs: 0 }
    this.#waits.add(wait)
    this.#schedule(allowedMs)
    return {
      end: () => {
        if (this.#waits.delete(wait)) this.#wake()
      },
    }
  }

  /** Holds simulated time whenever something is owed, for a moment. */
  watchOver(isOwed: () => boolean): Awaited {
    const aside: Aside = { isOwed, heldForMs: 0 }
    this.#asides.add(aside)
    return { end: () => void this.#asides.delete(aside) }
  }

  get isAwaited(): boolean {
    return this.#overdue().length > 0 || this.#owed().length > 0
  }

  /** Lets something real happen: until what is overdue has come, or for a moment. */
  async pause(): Promise<void> {
    const overdue = this.#overdue()
    const owed = this.#owed()
    if (overdue.length + owed.length === 0) return
    const startMs = nodeClock.monotonicMs()
    await new Promise<void>((resolve) => {
      const cancel = nodeClock.after(lookMs, resolve)
      this.#wake = () => {
        cancel()
        // What the answer sets off is real, too: sockets and threads have their turn before simulated time goes on.
        nodeClock.soon(resolve)
      }
    })
    const passedMs = nodeClock.monotonicMs() - startMs
    for (const wait of overdue) this.#tire(wait, passedMs)
    for (const aside of owed) aside.heldForMs += passedMs
  }

  #tire(wait: Wait, passedMs: number): void {
    wait.heldForMs += passedMs
    if (wait.heldForMs < wait.patienceMs || !this.#waits.delete(wait)) return
    if (wait.patienceMs === answerPatienceMs) this.givenUp++
  }

  #owed(): Aside[] {
    return [...this.#asides].filter((aside) => {
      if (!aside.isOwed()) aside.heldForMs = 0
      return aside.heldForMs < asidePatienceMs && aside.isOwed()
    })
  }

  #overdue(): Wait[] {
    const nowMs = this.#nowMs()
    return [...this.#waits].filter(({ dueMs, isHeld }) => dueMs <= nowMs && !isHeld())
  }
}

/** A simulation that waits for what is real. */
export class GroundedSimulation extends Simulation {
  readonly #reality: Reality

  constructor(seed: number | string, options: TraceOptions, reality: Reality) {
    super(seed, options)
    this.#reality = reality
    reality.attach(this)
  }

  override async run({ until = () => false, ...limits }: RunOptions = {}): Promise<RunEnd> {
    for (;;) {
      const end = await super.run({ ...limits, until: () => until() || this.#reality.isAwaited })
      if (end !== 'condition' || until()) return end
      // Time stands still; what is due at this moment happens all the same, and may be what the answer waits for.
      while (this.#reality.isAwaited) {
        await super.run({ untilMs: this.nowMs, until })
        if (until()) return 'condition'
        await this.#reality.pause()
      }
    }
  }
}
