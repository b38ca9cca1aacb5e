import type { Faults, Store } from '@strata/server/store'
import { createEtcdStore } from '@strata/server/store/etcd'
import { chance, integer, pick } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { type EtcdCluster, startEtcd } from '../../support/etcd.ts'
import { count } from '../coverage.ts'
import type { Way } from './connection.ts'
import { EtcdLink } from './etcd-link.ts'
import { type EtcdFollower, followEtcd } from './follow-etcd.ts'
import type { Mirror } from './mirror.ts'
import type { Home, RealWorld } from './real-store.ts'
import type { Awaited, Reality } from './reality.ts'

/** How long a link holds something back before it lets go or is cut, in simulated time: less than a loose server waits. */
const longestHoldMs = 5_000
/** How often a link looks whether its process is cut off. */
const lookMs = 100

/** An etcd of one node. Every server reaches it over a link of its own, which cuts, delays, and loses answers. */
export class EtcdHome implements Home {
  readonly revisions = 'shared'
  readonly #cluster: EtcdCluster
  readonly #reality: Reality
  #mirror: Mirror | undefined
  #world: RealWorld | undefined
  #follower: EtcdFollower | undefined

  private constructor(cluster: EtcdCluster, reality: Reality) {
    this.#cluster = cluster
    this.#reality = reality
  }

  static async open(reality: Reality): Promise<EtcdHome> {
    return new EtcdHome(await startEtcd(), reality)
  }

  follow(mirror: Mirror, world: RealWorld): void {
    this.#mirror = mirror
    this.#world = world
    this.#follower = followEtcd(
      this.#endpoint,
      (changes) => mirror.take(changes),
      (error) => mirror.fail(error),
    )
    mirror.onCompact = (revision) =>
      void this.#node.ask('/v3/kv/compaction', { revision: String(revision) }).catch(() => {})
  }

  async catchUp(revision?: number): Promise<void> {
    if (revision !== undefined) await this.#mirror?.reach(revision)
  }

  async catchUpWithAll(): Promise<void> {
    const { header } = await this.#node.ask('/v3/kv/range', { key: 'AA==' })
    await this.#mirror?.reach(Number((header as { readonly revision: string }).revision))
  }

  connect(process: SimProcess, faults: Faults): { readonly way: Way; readonly open: () => Promise<Store> } {
    const { simulation, history, disturbances } = this.#world ?? notFollowed()
    const weather = new LinkWeather({
      ...{ simulation, history, faults, random: simulation.fork(`link of ${process.name}`) },
      isCutOff: () => disturbances.isCutOff(process.id),
    })
    let link: EtcdLink | undefined
    let owed: Awaited | undefined
    let isEnded = false
    const open = async (): Promise<Store> => {
      if (!link) {
        const opened = await EtcdLink.open(Number(new URL(this.#endpoint).port))
        link = opened
        weather.begin(opened)
        owed = this.#reality.watchOver(() => opened.owesAcknowledgement)
        if (isEnded) await way.end()
      }
      const { clock, random, log } = process
      return createEtcdStore({ endpoints: [link.url], clock, random, log })
    }
    const way: Way = {
      isHeld: () => link !== undefined && !link.isAlive,
      isWatchHeld: () => link === undefined || link.isSilent,
      strike: () => {
        link?.stir()
        weather.strike()
      },
      strikeWatch: () => weather.strikeWatch(),
      end: async () => {
        isEnded = true
        weather.end()
        owed?.end()
        await link?.close()
      },
    }
    return { way, open }
  }

  async stop(): Promise<void> {
    this.#follower?.stop()
    await this.#cluster.stop()
  }

  get #node() {
    const [node] = this.#cluster.nodes
    if (!node) throw new Error('etcd has no node')
    return node
  }

  get #endpoint(): string {
    return this.#node.endpoint
  }
}

interface WeatherParts extends Pick<RealWorld, 'simulation' | 'history'> {
  readonly faults: Faults
  readonly random: Parameters<typeof chance>[0]
  readonly isCutOff: () => boolean
}

/** What befalls one link, by the rates of the simulated weather and in simulated time. */
class LinkWeather {
  readonly #parts: WeatherParts
  #link: EtcdLink | undefined
  #isEnded = false

  constructor(parts: WeatherParts) {
    this.#parts = parts
  }

  begin(link: EtcdLink): void {
    this.#link = link
    this.#look(false)
  }

  end(): void {
    this.#isEnded = true
  }

  /** At a question: each fault meets whatever is on its way then. */
  strike(): void {
    const { random, faults } = this.#parts
    if (!this.#link || this.#link.isHolding) return
    if (chance(random, faults.requestLost))
      this.#holdBack('requests', true, 'cut before requests were sent on')
    else if (chance(random, faults.answerLost)) this.#holdBack('answers', true, 'answers dropped, and cut')
    else if (chance(random, 2 * faults.answerLost))
      this.#holdBack(pick(random, ['requests', 'answers', 'both'] as const), false, 'delayed')
  }

  strikeWatch(): void {
    const { random, faults } = this.#parts
    if (!this.#link || this.#link.isHolding || !chance(random, faults.watchCut)) return
    this.#count('cut at once')
    this.#link.cut()
  }

  #holdBack(what: 'requests' | 'answers' | 'both', isCut: boolean, name: string): void {
    const { simulation, random } = this.#parts
    this.#count(name)
    this.#link?.hold(what)
    simulation.clock.after(1 + integer(random, longestHoldMs), () => this.#release(isCut))
  }

  /** While a process is cut off nothing passes; afterwards its connections are dead, or go on as TCP does. */
  #look(wasCutOff: boolean): void {
    const { simulation, isCutOff, random } = this.#parts
    if (this.#isEnded) return
    const isNow = isCutOff()
    if (isNow) this.#link?.hold('both')
    if (isNow && !wasCutOff) this.#count('cut off')
    if (wasCutOff && !isNow) this.#release(chance(random, 0.5))
    simulation.clock.after(lookMs, () => this.#look(isNow))
  }

  #release(isCut: boolean): void {
    if (this.#isEnded || this.#parts.isCutOff()) return
    if (isCut) this.#link?.cut()
    this.#link?.letGo()
  }

  #count(what: string): void {
    count(this.#parts.history.counts, `store fault: ${what}`)
  }
}

function notFollowed(): never {
  throw new Error('etcd belongs to no world yet')
}
