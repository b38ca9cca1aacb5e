import type { FaultyStoreHooks, Store } from '@strata/server/store'
import { sleep } from '@strata/world'
import type { SimProcess, Simulation } from '@strata/world/sim'

/** Where in the life of a process it is cut. Each is counted on its own. */
export const moments = {
  /** As it asks the store for something: the question never leaves. */
  unsent: 'interaction',
  /** A commit of its own has just been taken, and the answer is on its way. */
  unanswered: 'commit',
  /** A commit of its own is on its way, and reaches the store long after the end of who sent it. */
  late: 'commit',
  /** Anywhere: a timer, an answer, a request, a line of its log. */
  event: 'event',
  /** As it asks the store for something: the store cannot be reached any more. It lives. */
  away: 'interaction',
} as const

export type Moment = keyof typeof moments

export interface Trip {
  readonly process: SimProcess
  readonly moment: Moment
  /** The how-manieth interaction, commit or event from now on. */
  readonly at: number
  /** Told in the very moment; the process is dead by then, unless it is `away`. */
  readonly onTrip: () => void
}

/** What is on its way to the store when its sender dies arrives so much later, in turn. */
const latenessMs = [60, 1_700, 13_000] as const

/** Stretched across what a process does, at one place; whoever steps on it is killed, or loses the store. */
export class Tripwire {
  readonly #simulation: () => Simulation
  #trip: Trip | undefined
  #seen = 0

  constructor(simulation: () => Simulation) {
    this.#simulation = simulation
  }

  stretch(trip: Trip): void {
    this.#trip = trip
    this.#seen = 0
  }

  /** Taken away; true if nobody has stepped on it. */
  remove(): boolean {
    const untouched = this.#trip !== undefined
    this.#trip = undefined
    return untouched
  }

  /** A line of the trace is an event, or something that a process says in the middle of one. */
  observeLine(line: string): void {
    if (this.#trip?.moment !== 'event') return
    const [, owner = ''] = line.split(' ', 2)
    if (owner === this.#trip.process.id) this.#step(this.#trip.process, 'event')
  }

  /** On the process's side of its way to the store. The dead ask nothing, not even in the middle of an event. */
  wrap(process: SimProcess, store: Store): Store {
    const asking = <A extends unknown[], T>(ask: (...args: A) => Promise<T>) => {
      return (...args: A): Promise<T> => {
        this.#step(process, 'interaction')
        return process.crashed ? new Promise(() => {}) : ask(...args)
      }
    }
    return {
      ...store,
      read: asking(store.read),
      list: asking(store.list),
      currentRevision: asking(store.currentRevision),
      commit: asking(store.commit),
    }
  }

  /** On the store's side. */
  hooks(process: SimProcess): FaultyStoreHooks {
    return {
      beforeCommit: async () => {
        if (this.#trip?.moment !== 'late' || !this.#step(process, 'commit')) return
        const lateMs = latenessMs[this.#seen % latenessMs.length] ?? 0
        await sleep(this.#simulation().clock, lateMs)
      },
      afterCommit: async () => {
        if (this.#trip?.moment === 'unanswered') this.#step(process, 'commit')
      },
    }
  }

  /** True if that was the step. */
  #step(process: SimProcess, kind: (typeof moments)[Moment]): boolean {
    const trip = this.#trip
    if (!trip || trip.process !== process || process.crashed || moments[trip.moment] !== kind) return false
    if (++this.#seen < trip.at) return false
    this.#trip = undefined
    if (trip.moment !== 'away') process.crash()
    trip.onTrip()
    return true
  }
}
