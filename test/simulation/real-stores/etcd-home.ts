import type { Faults, Store } from '@strata/server/store'
import { createEtcdStore } from '@strata/server/store/etcd'
import { nodeClock } from '@strata/world/node'
import type { SimProcess } from '@strata/world/sim'
import { type EtcdCluster, startEtcd } from '../../support/etcd.ts'
import type { Way } from './connection.ts'
import { EtcdLink } from './etcd-link.ts'
import { type EtcdFollower, followEtcd } from './follow-etcd.ts'
import { LinkWeather } from './link-weather.ts'
import type { Mirror } from './mirror.ts'
import { NodeWeather } from './node-weather.ts'
import type { Home, RealWorld } from './real-store.ts'
import type { Awaited, Reality } from './reality.ts'

/** How soon to look for an etcd that is away, in real time. */
const resumeMs = 20

/** An etcd of one node. Every server reaches it over a link of its own, which cuts, delays, and loses answers. */
export class EtcdHome implements Home {
  readonly revisions = 'shared'
  readonly #cluster: EtcdCluster
  readonly #reality: Reality
  #mirror: Mirror | undefined
  #world: RealWorld | undefined
  #follower: EtcdFollower | undefined
  #weather: NodeWeather | undefined
  #isStopped = false

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
    this.#weather = new NodeWeather(this.#node, world, this.#reality)
    this.#resume(mirror)
    mirror.onCompact = (revision) =>
      void this.#node.ask('/v3/kv/compaction', { revision: String(revision) }).catch(() => {})
  }

  async catchUp(revision?: number): Promise<void> {
    if (revision !== undefined) await this.#mirror?.reach(revision)
  }

  async catchUpWithAll(): Promise<void> {
    await this.#weather?.comeBack()
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
        owed = this.#reality.watchOver(() => !this.#isAway && opened.owesAcknowledgement)
        if (isEnded) await way.end()
      }
      const { clock, random, log } = process
      return createEtcdStore({ endpoints: [link.url], clock, random, log })
    }
    const way: Way = {
      isHeld: () => this.#isAway || (link !== undefined && !link.isAlive),
      isWatchHeld: () => this.#isAway || link === undefined || link.isSilent,
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
    this.#isStopped = true
    this.#follower?.stop()
    await this.#cluster.stop()
  }

  /** Goes on where the mirror is, whenever etcd has been away. */
  #resume(mirror: Mirror): void {
    if (this.#isStopped) return
    this.#follower = followEtcd(
      this.#endpoint,
      mirror.revision + 1,
      (changes) => mirror.take(changes),
      (error) => {
        if (!this.#isAway && this.#node.running) mirror.fail(error)
        nodeClock.after(resumeMs, () => this.#resume(mirror))
      },
    )
  }

  get #isAway(): boolean {
    return this.#weather?.isAway ?? false
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

function notFollowed(): never {
  throw new Error('etcd belongs to no world yet')
}
