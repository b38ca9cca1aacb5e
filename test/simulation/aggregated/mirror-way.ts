import { chance, integer, type Transport, TransportError } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { type Counts, count } from '../coverage.ts'

/**
 * The way from an aggregated fleet to its aggregator, which the mirror alone takes. While it is cut, requests are still passed
 * on the other way: clients write, the fleet is upgraded, and what the aggregator shows of it is old.
 */
export class MirrorWay {
  readonly #simulation: Simulation
  readonly #counts: Counts
  #isCut = false

  constructor(simulation: Simulation, counts: Counts) {
    this.#simulation = simulation
    this.#counts = counts
  }

  wrap(way: Transport): Transport {
    return async (request) => {
      if (this.#isCut) throw new TransportError('no route to the aggregator', 'no')
      return way(request)
    }
  }

  cut(isCut: boolean): void {
    if (isCut === this.#isCut) return
    this.#simulation.trace(isCut ? 'the mirror is cut off' : 'the mirror reaches the aggregator')
    if (isCut) count(this.#counts, 'fault: mirror cut off')
    this.#isCut = isCut
  }

  /** Now and then, mostly for some seconds, sometimes for longer than a Lease lasts. */
  cutSometimes(untilMs: number): void {
    const random = this.#simulation.fork('cuts of the mirror')
    const next = (): void => {
      this.#simulation.schedule(4_000 + integer(random, 25_000), 'mirror', () => {
        if (this.#simulation.nowMs > untilMs) return
        this.cut(true)
        const forMs = chance(random, 0.6) ? 1_000 + integer(random, 12_000) : 15_000 + integer(random, 45_000)
        this.#simulation.schedule(forMs, 'mirror', () => {
          this.cut(false)
          next()
        })
      })
    }
    next()
  }
}

/** What the mirror sends takes the one way, and everything else that an aggregated server asks takes the other. */
export const ofMirror =
  (mirror: Transport, others: Transport): Transport =>
  (request) =>
    request.headers['user-agent'] === 'strata-aggregated-mirror' ? mirror(request) : others(request)
