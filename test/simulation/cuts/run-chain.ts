import { checkHistory, type Violation } from '../checkers/index.ts'
import { unsettled } from '../convergence.ts'
import { noticeRejections } from '../notice-rejections.ts'
import { reporterOf } from '../reports-at-rest.ts'
import type { Sabotage } from '../sabotage.ts'
import { definition, definitionsPath } from '../world/definitions.ts'
import type { Member } from '../world/fleet.ts'
import { request } from '../world/request.ts'
import { partsOf, releasePairs } from '../world/shape.ts'
import { createWorld, type World } from '../world/world.ts'
import { type Chain, chainName } from './chain.ts'
import { Tripwire } from './tripwire.ts'

export interface ChainReport {
  readonly chain: string
  /** How often a process was cut. */
  readonly cuts: number
  readonly violations: readonly Violation[]
  readonly simulatedMs: number
  readonly operations: number
}

export interface ChainOptions {
  /** For tests that have no time for all of it. */
  readonly mostCuts?: number | undefined
  readonly sabotage?: Sabotage | undefined
  readonly onTraceLine?: (line: string) => void
}

/** Long enough for a Lease to expire and whoever waits for that to have found out. */
const settlingMs = 90_000
const storeAwayMs = 7_000

/** Cuts one server at every place of the chain, one after the other, and lets the fleet come to rest each time. */
export async function runChain(chain: Chain, options: ChainOptions = {}): Promise<ChainReport> {
  const wire = new Tripwire(() => world.simulation)
  const world: World = createWorld({
    seed: chainName(chain),
    sabotage: options.sabotage,
    shape: {
      instances: chain.aftermath === 'both' ? ['a', 'b', 'c'] : ['a', 'b'],
      releases: releasePairs.switch,
      firstRelease: releasePairs.switch.older,
      leaseDurationSeconds: 20,
      renewIntervalSeconds: 5,
      clients: 1,
      oneHost: false,
      cannotTell: chain.aftermath === 'elsewhere',
      definitions: true,
      kinds: chain.kinds,
      migrations: 'none',
      censuses: false,
      keys: false,
      ...{ lateCommits: 0, gatesChange: false, expectedServers: 0, aggregated: 0 },
      definer: false,
      coordinatedDiscovery: chain.form === 'discovery',
      parts: chain.form === 'discovery' ? partsOf.report : partsOf[chain.form],
    },
    tap: wire,
    onTraceLine: (line) => {
      options.onTraceLine?.(line)
      wire.observeLine(line)
    },
  })
  const walk = new ChainWalk(chain, world, wire)
  const cuts = await noticeRejections(world, () => walk.run(options.mostCuts))
  const { history, simulation } = world
  history.endMs = simulation.nowMs
  return {
    chain: chainName(chain),
    cuts,
    violations: checkHistory(history),
    simulatedMs: history.endMs,
    operations: history.operations.length,
  }
}

class ChainWalk {
  readonly #chain: Chain
  readonly #world: World
  readonly #wire: Tripwire
  /** The release of the servers that are cut; the others keep the older one. */
  #release: string
  #othersRelease: string

  constructor(chain: Chain, world: World, wire: Tripwire) {
    this.#chain = chain
    this.#world = world
    this.#wire = wire
    this.#release = world.shape.firstRelease
    this.#othersRelease = world.shape.firstRelease
  }

  async run(mostCuts = Number.POSITIVE_INFINITY): Promise<number> {
    const { first, stride } = this.#chain
    const { weather, history, simulation } = this.#world
    weather.set('clear')
    let problems = await this.#begin()
    let cuts = 0
    for (let at = first; problems.length === 0 && cuts < mostCuts; at += stride) {
      const walked = await this.#cutAt(at)
      if (walked === 'over') break
      if (walked === 'stuck') {
        problems = [`cut at ${at}: after ${settlingMs} ms it has neither met it nor come to its end`]
        break
      }
      cuts++
      problems = (await this.#settle(this.#expected)).map((each) => `cut at ${at}: ${each}`)
    }
    history.convergence = { atMs: simulation.nowMs, problems }
    return cuts
  }

  get #expected(): readonly string[] {
    const { instances } = this.#world.shape
    return this.#chain.aftermath === 'never' ? instances.filter((each) => each !== 'b') : instances
  }

  /** The server that is cut, and the servers that are in the same situation. */
  get #subjects(): readonly string[] {
    return this.#world.shape.instances.slice(1)
  }

  async #begin(): Promise<readonly string[]> {
    const { network, simulation, fleet } = this.#world
    const problems = await this.#settle(this.#world.shape.instances)
    if (problems.length > 0) return problems
    const admin = simulation.process('admin', { host: 'desk' })
    const body = definition('gadgets', { storage: 'v1', served: ['v1', 'v2'], mark: 'mark1' })
    const asked = { method: 'POST', target: definitionsPath, body, timeoutMs: 10_000 } as const
    const [name = ''] = fleet.names
    await simulation.settle(request(admin, network.connect(admin, name), asked))
    return this.#settle(this.#world.shape.instances)
  }

  /**
   * `over`: the scene ended before this place was reached, so there is no such place. `stuck`: the scene neither reached this
   * place nor ended, which proves nothing.
   */
  async #cutAt(at: number): Promise<'cut' | 'over' | 'stuck'> {
    const { moment, scene } = this.#chain
    const { simulation } = this.#world
    await this.#prepare()
    if (this.#isVoted) await this.#moveOn()
    simulation.trace('cut', { chain: chainName(this.#chain), at })
    const members = this.#subjects.map((instance) => this.#beginScene(instance))
    const [subject, ...companions] = members
    if (!subject) return 'over'
    let tripped = false
    const { process } = subject
    const onTrip = (): void => {
      tripped = true
      for (const companion of companions) companion.process.crash()
      this.#follow(subject)
    }
    this.#wire.stretch({ process, moment, at, onTrip })
    const isOver = (): boolean =>
      scene === 'leave' ? process.crashed : process.crashed || this.#isWhole(subject)
    await this.#run(() => tripped || isOver())
    if (!this.#wire.remove()) return 'cut'
    return isOver() ? 'over' : 'stuck'
  }

  get #isVoted(): boolean {
    return this.#chain.form === 'vote' || this.#chain.form === 'loose'
  }

  /** What the scene begins with. */
  async #prepare(): Promise<void> {
    const { scene } = this.#chain
    const running = this.#subjects.flatMap((instance) => this.#membersOf(instance))
    if (scene === 'return') for (const { process } of running) process.crash()
    if (scene === 'join') {
      for (const member of running) this.#world.fleet.stop(member)
      await this.#run(() => running.every(({ process }) => process.crashed))
    }
    // After it never came back there is nobody who could leave, or return.
    if (scene !== 'join' && running.length === 0) {
      await this.#settle(this.#world.shape.instances)
      if (scene === 'return') for (const each of this.#subjects) this.#kill(each)
    }
  }

  /** The others go to the other release: the last voice for what is selected is that of who leaves, or will be of who comes. */
  async #moveOn(): Promise<void> {
    const { fleet } = this.#world
    this.#release = this.#otherRelease
    this.#othersRelease = this.#release
    const others = this.#membersOf('a')
    for (const member of others) fleet.stop(member)
    await this.#run(() => others.every(({ process }) => process.crashed))
    this.#ensure(['a'])
    await this.#run(() => this.#membersOf('a').every((member) => this.#isWhole(member)))
  }

  #beginScene(instance: string): Member {
    const { fleet } = this.#world
    const [running] = this.#membersOf(instance)
    if (!running) return fleet.start(instance, instance, this.#release)
    fleet.stop(running)
    return running
  }

  /** What happens in the moment of the cut, and of itself afterwards. */
  #follow({ process }: Member): void {
    const { aftermath, moment } = this.#chain
    const { fleet, disturbances, simulation } = this.#world
    const start = (name: string): Member => fleet.start(name, 'b', this.#release)
    if (aftermath === 'other-release') this.#release = this.#otherRelease
    if (moment === 'away' || aftermath === 'store-away') {
      const lost = aftermath === 'store-away' ? fleet.alive.map((member) => member.process) : [process]
      for (const each of lost) disturbances.cutOff(each)
      simulation.schedule(100, 'operator', () => {
        if (this.#membersOf('b').length === 0) lost.push(start('b').process)
        if (aftermath === 'store-away') for (const each of lost) disturbances.cutOff(each)
      })
      simulation.schedule(storeAwayMs, 'operator', () => {
        for (const each of lost) disturbances.reconnect(each)
      })
    } else if (aftermath === 'twins') {
      simulation.schedule(1, 'operator', () => [start('b'), start('b-twin')])
    } else if (aftermath !== 'never') {
      // Not before the event is over in which this one died.
      simulation.schedule(1, 'operator', () => this.#ensure(this.#subjects))
    }
  }

  get #otherRelease(): string {
    const { older, newer } = this.#world.shape.releases
    return this.#release === older ? newer : older
  }

  /** Runs until nothing is left to do, and says what is still not as it must be when the time is up. */
  async #settle(instances: readonly string[]): Promise<readonly string[]> {
    const { simulation } = this.#world
    const endMs = simulation.nowMs + settlingMs
    for (let stepMs = 150; ; stepMs = Math.min(2_000, 1.5 * stepMs)) {
      await simulation.run({ untilMs: simulation.nowMs + stepMs })
      const problems = unsettled(this.#world, instances)
      if (problems.length === 0 || simulation.nowMs > endMs) return problems
      // A server that has ended because its identity was taken is started again, as by an init system.
      this.#ensure(instances)
    }
  }

  #ensure(instances: readonly string[]): void {
    const { fleet } = this.#world
    for (const instance of instances) {
      const release = instance === 'a' ? this.#othersRelease : this.#release
      if (this.#membersOf(instance).length === 0) fleet.start(instance, instance, release)
    }
  }

  #kill(instance: string): void {
    for (const { process } of this.#membersOf(instance)) process.crash()
  }

  #membersOf(instance: string): readonly Member[] {
    return this.#world.fleet.alive.filter((member) => member.instance === instance)
  }

  #isWhole({ server, run }: Member): boolean {
    const { shape, history } = this.#world
    return (
      server.ready &&
      (!shape.coordinatedDiscovery || reporterOf(history, run.serverID) === run.writer) &&
      this.#world.isListed(run.process) &&
      this.#world.isListed(run.process, 'workshop.example.org.gadgets')
    )
  }

  async #run(until: () => boolean): Promise<void> {
    const { simulation } = this.#world
    await simulation.run({ until, untilMs: simulation.nowMs + settlingMs })
  }
}
