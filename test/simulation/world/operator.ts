import { chance, integer, pick, type Random, shuffled } from '@strata/world'
import type { SimProcess, Simulation } from '@strata/world/sim'
import type { Disturbances } from './disturbances.ts'
import type { Fleet, Member } from './fleet.ts'
import { type Part, partOf, type Shape } from './shape.ts'
import type { Weather } from './weather.ts'

export interface OperatorParts {
  readonly simulation: Simulation
  readonly random: Random
  readonly fleet: Fleet
  readonly disturbances: Disturbances
  readonly weather: Weather
  readonly shape: Shape
  /** Whether the record of the example kind has an entry of the process. */
  readonly isListed: (process: string) => boolean
  /** Begins a server that has a Lease and never reports. */
  readonly startForeigner: () => SimProcess
}

/** How long SIGTERM is given before SIGKILL. */
const patienceMs = 30_000

/** As if somebody had started it with other flags: it records, does not, or cannot even be seen. */
function otherGates({ form, guarantee }: Part, random: Random): Part {
  const part: Part = { form, guarantee }
  return pick(random, [part, { ...part, records: false }, { ...part, records: false, identity: false }])
}

/** Someone with a plan: upgrades, rollbacks, restarts, and the mistakes that people make with them. */
export class Operator {
  readonly #parts: OperatorParts
  readonly #wanted = new Map<string, string>()
  readonly #howTheyTakePart = new Map<string, Part>()
  #twins = 0

  constructor(parts: OperatorParts) {
    this.#parts = parts
    for (const instance of parts.shape.instances) {
      this.#wanted.set(instance, parts.shape.firstRelease)
      this.#howTheyTakePart.set(instance, partOf(parts.shape, instance))
    }
  }

  async startAll(): Promise<void> {
    for (const instance of this.#wanted.keys()) {
      this.ensure(instance)
      await this.#wait(integer(this.#parts.random, 400))
    }
  }

  /** A server of this instance, if there is none. */
  ensure(instance: string): void {
    const { fleet, shape } = this.#parts
    if (fleet.alive.some((member) => member.instance === instance)) return
    fleet.start(
      instance,
      instance,
      this.#wanted.get(instance) ?? shape.firstRelease,
      this.#howTheyTakePart.get(instance),
    )
  }

  ensureAll(): void {
    for (const instance of this.#wanted.keys()) this.ensure(instance)
  }

  /** One after the other to the other release: an upgrade, or back. */
  async rollOut(except?: string): Promise<void> {
    const { shape } = this.#parts
    const [first = ''] = this.#wanted.values()
    const to = first === shape.releases.older ? shape.releases.newer : shape.releases.older
    for (const instance of shuffled([...this.#wanted.keys()], this.#parts.random)) {
      if (instance === except) continue
      this.#wanted.set(instance, to)
      await this.restart(instance)
      await this.#wait(integer(this.#parts.random, 3_000))
    }
    if (except !== undefined) this.#wanted.set(except, to)
  }

  /** One after the other from reporting to voting, or back; sometimes only half of them (rule 13). */
  async rollForms(): Promise<void> {
    const { shape, random } = this.#parts
    if (!shape.rollsForms) return this.restartOne()
    const [first] = this.#howTheyTakePart.values()
    const form = first?.form === 'report' ? 'vote' : 'report'
    const isHalf = chance(random, 0.4)
    for (const instance of shuffled([...this.#wanted.keys()], this.#parts.random)) {
      if (isHalf && chance(random, 0.5)) continue
      const guarantee = this.#howTheyTakePart.get(instance)?.guarantee ?? 'strict'
      this.#howTheyTakePart.set(instance, { form, guarantee })
      await this.restart(instance)
      await this.#wait(integer(random, 3_000))
    }
  }

  async restart(instance: string): Promise<void> {
    const { fleet, random } = this.#parts
    const gracefully = chance(random, 0.7)
    const members = fleet.alive.filter((member) => member.instance === instance)
    await Promise.all(members.map((member) => this.#end(member, gracefully)))
    await this.#wait(chance(random, 0.5) ? 50 : integer(random, 8_000))
    const part = this.#howTheyTakePart.get(instance)
    if (part && this.#parts.shape.gatesChange && chance(random, 0.3)) {
      this.#howTheyTakePart.set(instance, otherGates(part, random))
    }
    this.ensure(instance)
  }

  async restartOne(): Promise<void> {
    const [instance] = shuffled([...this.#wanted.keys()], this.#parts.random)
    if (instance !== undefined) await this.restart(instance)
  }

  /** Everything stops, and comes back: the record must remember (agreement.md, rule 10). */
  async fullStop(): Promise<void> {
    const { fleet, random } = this.#parts
    const gracefully = chance(random, 0.6)
    await Promise.all(fleet.alive.map((member) => this.#end(member, gracefully)))
    await this.#wait(integer(random, 10_000))
    this.ensureAll()
  }

  /**
   * A server is frozen, or has lost the store, until the collector has expelled it; the others move on to the other
   * release, and it comes back with requests in its hands (agreement.md, rules 3 and 14).
   */
  async zombie(): Promise<void> {
    const { disturbances, random, shape } = this.#parts
    const member = this.#anyone()
    if (!member) return
    const isFrozen = chance(random, 0.6)
    if (isFrozen) disturbances.freeze(member.process)
    else disturbances.cutOff(member.process)
    await this.#wait(1000 * shape.leaseDurationSeconds)
    // Until its entries are gone, or the controllers have had time enough to find out.
    for (let each = 0; each < 60 && this.#parts.isListed(member.run.process); each++) await this.#wait(1_000)
    if (chance(random, 0.8)) await this.rollOut(member.instance)
    // What it knew a minute ago it may still write by.
    if (member.part.guarantee === 'loose' && chance(random, 0.5)) await this.#wait(80_000)
    await this.#wait(integer(random, 3_000))
    disturbances.thaw(member.process)
    disturbances.reconnect(member.process)
    await this.#wait(5_000)
  }

  /** A second process of the same identity, while the first runs, sleeps, has lost the store, or has just died (rule 1). */
  async twin(): Promise<void> {
    const { fleet, disturbances, random, shape } = this.#parts
    const member = this.#anyone()
    if (!member) return
    const first = integer(random, 4)
    if (first === 0) disturbances.freeze(member.process)
    if (first === 1) member.process.crash()
    // Requests go on reaching it, so that it has writes in its hands when it has the store again.
    if (first === 2) disturbances.cutOff(member.process)
    await this.#wait(integer(random, 3_000))
    const { instance } = member
    const release = chance(random, 0.7) ? member.release : (this.#wanted.get(instance) ?? member.release)
    // An automatic restart that does not look whether the old one is really gone.
    const part = shape.gatesChange && chance(random, 0.5) ? otherGates(member.part, random) : member.part
    this.#howTheyTakePart.set(instance, part)
    fleet.start(`${instance}-twin${++this.#twins}`, instance, release, part)
    await this.#wait(
      2_500 * shape.renewIntervalSeconds + integer(random, chance(random, 0.5) ? 2_000 : 15_000),
    )
    // Without an identity it loses its name, if it does not answer the challenge of the second one in time (rule 18).
    if (member.part.identity === false && chance(random, 0.5)) await this.#wait(25_000)
    // The holder learns of its loss with its next renewal; where answers get lost, its writes may be quicker.
    const isRough = chance(random, 0.5)
    if (isRough) this.#storm(true)
    disturbances.thaw(member.process)
    disturbances.reconnect(member.process)
    await this.#wait(5_000)
    if (isRough) this.#storm(false)
    // Where there is no identity nobody can lose it, and somebody has to see that there are two.
    const all = fleet.alive.filter((each) => each.instance === instance)
    if (member.part.identity === false || part.identity === false)
      await Promise.all(all.slice(1).map((each) => this.#end(each, false)))
    this.ensure(instance)
  }

  async foreigner(): Promise<void> {
    const process = this.#parts.startForeigner()
    await this.#wait(30_000 + integer(this.#parts.random, 40_000))
    process.crash()
  }

  async #end(member: Member, gracefully: boolean): Promise<void> {
    const { fleet, simulation } = this.#parts
    if (gracefully) {
      fleet.stop(member)
      const endMs = simulation.nowMs + patienceMs
      while (!member.process.crashed && simulation.nowMs < endMs) await this.#wait(100)
    }
    member.process.crash()
  }

  #storm(begins: boolean): void {
    const { weather, disturbances } = this.#parts
    if (begins) disturbances.beginStorm()
    else disturbances.endStorm()
    weather.set(begins ? 'storm' : 'drizzle')
  }

  #anyone(): Member | undefined {
    const { fleet } = this.#parts
    const able = fleet.alive.filter(({ process, leaving }) => !process.frozen && !leaving)
    return shuffled(able, this.#parts.random)[0]
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#parts.simulation.schedule(delayMs, 'operator', resolve))
  }
}
