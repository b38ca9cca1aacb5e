import { chance, integer } from '@strata/world'
import type { EtcdNode } from '../../support/etcd.ts'
import { count } from '../coverage.ts'
import type { RealWorld } from './real-store.ts'
import type { Reality } from './reality.ts'

/** How often the node may be struck, in simulated time, and how long it is away at most. */
const lookMs = 1_000
const longestAwayMs = 6_000

/** What befalls the one node of etcd: it is stopped for a while, or killed and started again on what it has on its disk. */
export class NodeWeather {
  readonly #node: EtcdNode
  readonly #world: RealWorld
  readonly #reality: Reality
  readonly #random
  #away: 'no' | 'frozen' | 'killed' = 'no'
  #returning: Promise<void> | undefined

  constructor(node: EtcdNode, world: RealWorld, reality: Reality) {
    this.#node = node
    this.#world = world
    this.#reality = reality
    this.#random = world.simulation.fork('node of etcd')
    this.#look()
  }

  get isAway(): boolean {
    return this.#away !== 'no'
  }

  /** Back at once, if it is away. */
  async comeBack(): Promise<void> {
    if (this.#away === 'frozen') this.#node.thaw()
    if (this.#away === 'killed') {
      this.#returning ??= this.#restart()
      await this.#returning
    }
    this.#away = 'no'
  }

  #look(): void {
    const { simulation, weather } = this.#world
    simulation.clock.after(lookMs, () => {
      if (!this.isAway && chance(this.#random, weather.store.requestLost)) this.#strike()
      this.#look()
    })
  }

  #strike(): void {
    const { simulation, history } = this.#world
    const isKilled = chance(this.#random, 0.5)
    count(history.counts, `store fault: etcd ${isKilled ? 'killed' : 'stopped'}`)
    this.#away = isKilled ? 'killed' : 'frozen'
    if (isKilled) void this.#node.kill()
    else this.#node.freeze()
    simulation.clock.after(1 + integer(this.#random, longestAwayMs), () => {
      // It takes real time to start, and simulated time waits for it.
      const awaited = this.#reality.expect(0, () => false, Number.POSITIVE_INFINITY)
      void this.comeBack().finally(() => awaited.end())
    })
  }

  async #restart(): Promise<void> {
    try {
      await this.#node.restart()
    } finally {
      this.#returning = undefined
    }
  }
}
