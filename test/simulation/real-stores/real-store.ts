import type { Change, Faults, Store } from '@strata/server/store'
import type { SimProcess, Simulation, TraceOptions } from '@strata/world/sim'
import type { Violation } from '../checkers/index.ts'
import type { History } from '../history.ts'
import type { Disturbances } from '../world/disturbances.ts'
import type { Shape } from '../world/shape.ts'
import type { Weather } from '../world/weather.ts'
import { RealConnection, type Way } from './connection.ts'
import { Mirror } from './mirror.ts'
import { GroundedSimulation, type Reality } from './reality.ts'
import { trueOutcomes } from './true-outcomes.ts'

/** What a world hands to its real store. */
export interface RealWorld {
  readonly simulation: Simulation
  readonly history: History
  readonly disturbances: Disturbances
  readonly weather: Weather
  readonly opened: (change: Change) => Change
}

/** Where the data is: etcd, or a file. */
export interface Home {
  readonly revisions: Shape['revisions']
  /** Begins to take everything that happens there into the mirror. */
  follow(mirror: Mirror, world: RealWorld): void
  /** Takes in what is there by now, up to a revision at least. */
  catchUp(revision?: number): Promise<void>
  /** The same, up to the newest. */
  catchUpWithAll(): Promise<void>
  /** The way of one process to it, and the adapter at this end. */
  connect(process: SimProcess, faults: Faults): { readonly way: Way; readonly open: () => Promise<Store> }
  stop(): Promise<void>
}

/** A real store under a simulated world. */
export class RealStore {
  readonly reality: Reality
  readonly mirror: Mirror
  readonly #home: Home
  readonly #connections = new Set<RealConnection>()
  #world: RealWorld | undefined

  constructor(home: Home, reality: Reality) {
    this.#home = home
    this.reality = reality
    this.mirror = new Mirror(home.revisions)
  }

  /** What a world over a real store cannot have: the memory store brings commits late and goes back to a backup. */
  get shape(): Partial<Shape> {
    return { revisions: this.#home.revisions, lateCommits: 0, restores: 0, aggregated: 0 }
  }

  createSimulation(seed: string, options: TraceOptions): Simulation {
    return new GroundedSimulation(seed, options, this.reality)
  }

  attach(world: RealWorld): Mirror {
    const { history, simulation, opened } = world
    this.#world = world
    this.mirror.attach({ history, nowMs: () => simulation.nowMs, opened })
    this.#home.follow(this.mirror, world)
    return this.mirror
  }

  connect(process: SimProcess, faults: Faults, wrap: (store: Store) => Store = (store) => store): Store {
    if (!this.#world) throw new Error('a real store is connected to in a world')
    const { simulation, history } = this.#world
    const { way, open } = this.#home.connect(process, faults)
    const connection = new RealConnection({
      ...{ simulation, process, faults, way, reality: this.reality, mirror: this.mirror },
      random: simulation.fork(`store of ${process.name}`),
      counts: history.counts,
      open: async () => wrap(await open()),
      follow: (revision) => this.#home.catchUp(revision),
    })
    this.#connections.add(connection)
    process.onCrash(() => {
      this.#connections.delete(connection)
      void connection.end()
    })
    return connection.store
  }

  /** What the adapters said that is not true. */
  async verify(): Promise<readonly Violation[]> {
    await this.#home.catchUpWithAll()
    return [...trueOutcomes(this.mirror.sent)]
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.end()))
    await this.#home.stop()
  }
}
