import type { MemoryData } from '@strata/server/store'
import { type Cancel, chance, integer, pick, type Random } from '@strata/world'
import type { SimNetwork, SimProcess, Simulation } from '@strata/world/sim'
import type { Disturbances } from './disturbances.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Operator } from './operator.ts'
import { fastestClock, type Shape } from './shape.ts'
import type { Weather } from './weather.ts'

export interface NemesisParts {
  readonly simulation: Simulation
  readonly random: Random
  readonly network: SimNetwork
  readonly data: MemoryData
  readonly fleet: Fleet
  readonly operator: Operator
  readonly disturbances: Disturbances
  readonly weather: Weather
  readonly shape: Shape
  readonly controllers: () => readonly SimProcess[]
  /** Clients and the controllers: what else can be cut off or has a clock. */
  readonly others: () => readonly SimProcess[]
}

export type Blow = 'freeze' | 'cut' | 'crash' | 'storm' | 'partition' | 'clock' | 'compact'

/** Whatever can go wrong by itself. Each blow is struck and, later, healed; many may be under way at once. */
export class Nemesis {
  readonly #parts: NemesisParts
  readonly #healing = new Set<Cancel>()
  /** For the controllers alone: the rest of a world is as it would be without what befalls them. */
  readonly #random: Random

  constructor(parts: NemesisParts) {
    this.#parts = parts
    this.#random = parts.simulation.fork('frozen controllers')
  }

  /** The end of all trouble: what is still to be healed is healed by whoever ends it. */
  end(): void {
    for (const cancel of this.#healing) cancel()
  }

  strike(blow: Blow): void {
    switch (blow) {
      case 'freeze':
        return this.#freeze()
      case 'cut':
        return this.#cutOff()
      case 'crash':
        return this.#crash()
      case 'storm':
        return this.#storm()
      case 'partition':
        return this.#partition()
      case 'clock':
        return this.#clock()
      case 'compact':
        return this.#compact()
    }
  }

  #freeze(): void {
    const { disturbances, random } = this.#parts
    if (chance(this.#random, 0.4)) this.#freezeController()
    const member = this.#anyone()
    if (!member) return
    disturbances.freeze(member.process)
    this.#later(this.#awhile(random), () => disturbances.thaw(member.process))
  }

  /** A frozen leader may thaw after another one leads, and goes on with the work that it had begun. */
  #freezeController(): void {
    const { disturbances, controllers } = this.#parts
    const [first, ...rest] = controllers()
    if (!first) return
    const process = pick(this.#random, [first, ...rest])
    disturbances.freeze(process)
    this.#later(this.#awhile(this.#random), () => disturbances.thaw(process))
  }

  #cutOff(): void {
    const { disturbances, random } = this.#parts
    const member = this.#anyone()
    if (!member) return
    disturbances.cutOff(member.process)
    this.#later(this.#awhile(random), () => disturbances.reconnect(member.process))
  }

  #crash(): void {
    const { operator, random } = this.#parts
    const member = this.#anyone()
    if (!member) return
    member.process.crash()
    this.#later(200 + integer(random, 30_000), () => operator.ensure(member.instance))
  }

  #storm(): void {
    const { weather, disturbances, random } = this.#parts
    disturbances.beginStorm()
    weather.set('storm')
    this.#later(2_000 + integer(random, 15_000), () => {
      weather.set('drizzle')
      disturbances.endStorm()
    })
  }

  #partition(): void {
    const { network, random, others } = this.#parts
    const member = this.#anyone()
    const [first, ...rest] = others()
    if (!member || !first) return
    const other = pick(random, [first, ...rest])
    network.partition(member.name, other.name, { oneWay: chance(random, 0.3) })
    this.#later(1_000 + integer(random, 25_000), () => network.heal(member.name, other.name))
  }

  #clock(): void {
    const { random, others, fleet } = this.#parts
    const processes = [...others(), ...others(), ...fleet.alive.map(({ process }) => process)]
    const [first, ...rest] = processes
    if (!first) return
    const process = pick(random, [first, ...rest])
    if (chance(random, 0.5)) process.jumpWall(pick(random, [-3_600_000, -90_000, 90_000, 600_000, 3_600_000]))
    else process.setDrift(fastestClock ** (2 * random.fraction() - 1))
  }

  /** Watches that are behind find their history gone, and must read everything again. */
  #compact(): void {
    const { data, simulation } = this.#parts
    simulation.trace('compact', { revision: data.revision })
    data.compact(data.revision)
  }

  /** Mostly short; sometimes longer than a Lease lasts. */
  #awhile(random: Random): number {
    const { shape } = this.#parts
    const leaseMs = 1000 * shape.leaseDurationSeconds
    return chance(random, 0.5) ? 100 + integer(random, 8_000) : integer(random, 2 * leaseMs)
  }

  #anyone(): Member | undefined {
    const { fleet, random } = this.#parts
    const [first, ...rest] = fleet.alive.filter(({ process }) => !process.frozen)
    return first && pick(random, [first, ...rest])
  }

  #later(delayMs: number, heal: () => void): void {
    const cancel = this.#parts.simulation.schedule(delayMs, 'nemesis', () => {
      this.#healing.delete(cancel)
      heal()
    })
    this.#healing.add(cancel)
  }
}
