import type { Store } from '@strata/server/store'
import { chance, integer, type Random, shuffled } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { count } from '../coverage.ts'
import type { History } from '../history.ts'
import type { Fleet } from './fleet.ts'

/** How long a watch may lag. Within the time that a live server is given to answer anything. */
const longestMs = 6_000
const restMs = 8_000

/**
 * Watches that lag, while reads and commits pass: a watch has a stream of its own, and etcd serves watches that are behind when
 * it has time. A server whose watch lags learns from a broken guard, and not from its watch, that the record has moved.
 */
export class LaggingWatches {
  /** Until when those of a process lag. */
  readonly #until = new Map<string, number>()
  readonly #simulation: Simulation

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  lag(writer: string, forMs: number): void {
    this.#simulation.trace('its watches lag', { process: writer, forMs })
    this.#until.set(writer, this.#simulation.nowMs + forMs)
  }

  /** On the store's side of the way: what reaches a frozen process waits there until it thaws. */
  wrap(writer: string, store: Store): Store {
    const passes = (signal: AbortSignal): Promise<void> => this.#passes(writer, signal)
    return {
      ...store,
      watch: async function* (prefix, after, signal) {
        for await (const batch of store.watch(prefix, after, signal)) {
          await passes(signal)
          if (signal.aborted) return
          yield batch
        }
      },
    }
  }

  async #passes(writer: string, signal: AbortSignal): Promise<void> {
    const leftMs = (this.#until.get(writer) ?? 0) - this.#simulation.nowMs
    if (leftMs <= 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#simulation.schedule(leftMs, 'watch lags', resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

export interface LaggingParts {
  readonly simulation: Simulation
  readonly fleet: Fleet
  readonly history: History
  readonly lagging: LaggingWatches
  readonly troubleMs: number
}

/** Some servers at a time, again and again, until the trouble ends. */
export function lagSometimes(parts: LaggingParts): void {
  const random = parts.simulation.fork('lagging watches')
  if (chance(random, 0.5)) lagNext(parts, random)
}

function lagNext(parts: LaggingParts, random: Random): void {
  const { simulation, fleet, history, lagging, troubleMs } = parts
  simulation.schedule(1_000 + integer(random, restMs), 'lag', () => {
    if (simulation.nowMs > troubleMs - longestMs) return
    const some = shuffled(fleet.alive, random).slice(0, 1 + integer(random, fleet.alive.length))
    for (const { process } of some) {
      count(history.counts, 'fault: watches lag')
      lagging.lag(process.id, 500 + integer(random, longestMs - 500))
    }
    lagNext(parts, random)
  })
}
