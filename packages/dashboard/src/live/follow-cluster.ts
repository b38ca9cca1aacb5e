import { type ApiObject, groupResourceText } from '@strata/api'
import {
  type Client,
  createClient,
  createInformer,
  createReachability,
  type Discovery,
  type Informer,
  isForbidden,
  isNotFound,
  isSuccess,
  keepListening,
} from '@strata/client'
import { type Clock, deadline, type Random, silentLog, sleep, type Transport } from '@strata/world'
import { kindAddresses, kindNames } from './kind-addresses.ts'
import { type KindName, nothingObserved, type Observed, type Seen, type Sight } from './observed.ts'

export interface FollowOptions {
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly token?: string | undefined
  /** Each new observation: after changes, and when the connection is lost or is back. */
  readonly show: (observed: Observed) => void
}

/** A server that joins changes a hundred records. They are shown together after this long. */
const gatherMs = 80
/** Bookmarks come every minute. */
const stallMs = 75_000
/** Short: a user is waiting. */
const backoff = { firstMs: 250, maxMs: 4_000 }
const askEveryMs = 2_000
const discoveryMs = 5_000
/** How long after a failed discovery it is asked for again. */
const pauseMs = 1_500
/** A kind may be served later: a CRD is created, a server with another feature gate joins. */
const againMs = 30_000

/** Watches what the page shows until the signal is aborted. A watch that ends, fails or freezes is started again. */
export async function followCluster(options: FollowOptions, signal: AbortSignal): Promise<void> {
  await new Following(options).run(signal)
}

class Following {
  readonly #options: FollowOptions
  readonly #clock: Clock
  readonly #reach: ReturnType<typeof createReachability>
  readonly #transport: Transport
  readonly #client: Client
  readonly #informers = new Map<KindName, Informer<ApiObject>>()
  readonly #sights = new Map<KindName, Sight>()
  /** Kinds that have changed since they were shown last. */
  readonly #changed = new Set<KindName>()
  #round: AbortSignal | undefined
  #running: Promise<void>[] = []
  #shown: Observed = nothingObserved
  #served: ReadonlySet<string> | undefined
  #isGathering = false

  constructor(options: FollowOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#reach = createReachability(options.clock)
    this.#transport = this.#reach.wrap(options.transport)
    this.#client = this.#connect(this.#transport)
  }

  async run(signal: AbortSignal): Promise<void> {
    const listening = {
      ...{ clock: this.#clock, everyMs: askEveryMs },
      listen: (each: AbortSignal) => this.#listen(each),
      ask: (each: AbortSignal) => this.#ask(each),
    }
    await Promise.all([this.#tick(signal), this.#discover(signal), keepListening(listening, signal)])
  }

  #connect(transport: Transport): Client {
    const { token } = this.#options
    return createClient({ transport, ...(token === undefined ? {} : { token }) })
  }

  /** The connection is lost, or back, without any event. */
  async #tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const unseen = this.#reach.unseen()
      if (unseen?.because !== this.#shown.unseen?.because) this.#emit()
      await sleep(this.#clock, 500, signal).catch(() => {})
    }
  }

  /** Asks only for kinds that are served: a browser reports each 404 as an error. */
  async #discover(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const limit = deadline(this.#clock, discoveryMs, signal)
      const discovery = await this.#client.discover(limit.signal).catch(() => undefined)
      limit.dispose()
      if (discovery) this.#learn(discovery, signal)
      await this.#pause(discovery ? againMs : pauseMs, signal)
    }
  }

  /** Shorter if other records than before have no entries: is the CRD gone, or are its servers starting? Discovery knows. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + delayMs
    const before = this.#unclear()
    while (!signal.aborted && this.#clock.monotonicMs() < untilMs && this.#unclear() === before)
      await sleep(this.#clock, pauseMs, signal).catch(() => {})
  }

  #unclear(): string {
    const records = this.#shown.records.objects.filter(({ status }) => status?.servers.length === 0)
    return records.map(({ metadata }) => metadata.name).join()
  }

  #learn({ resources, failures }: Discovery, signal: AbortSignal): void {
    this.#served = failures.length === 0 ? new Set(resources.map(groupResourceText)) : undefined
    for (const kind of kindNames) {
      const { group, versionName, resource } = kindAddresses[kind]
      const isServed = resources.some(
        (each) => each.group === group && each.resource === resource && each.versionName === versionName,
      )
      if (this.#informers.has(kind)) continue
      if (isServed) this.#follow(kind, signal)
      else this.#see(kind, 'absent')
    }
    this.#gather()
  }

  #follow(kind: KindName, signal: AbortSignal): void {
    const { namespace, ...address } = kindAddresses[kind]
    const { clock, random } = this.#options
    const client = this.#connect(this.#noticing(kind))
    const informer = createInformer(client.resource(address), {
      ...{ world: { clock, random, log: silentLog }, namespace, stallMs, backoff },
      onChange: () => this.#change(kind),
    })
    this.#informers.set(kind, informer)
    void informer.whenSynced(signal).then(
      () => this.#see(kind, 'seen'),
      () => {},
    )
    if (this.#round) this.#running.push(informer.run(this.#round))
  }

  /** Until the server is silent: then all watches begin again, through a server that answers. */
  async #listen(round: AbortSignal): Promise<void> {
    this.#round = round
    this.#running = [...this.#informers.values()].map((each) => each.run(round))
    await new Promise<void>((resolve) => round.addEventListener('abort', () => resolve(), { once: true }))
    this.#round = undefined
    await Promise.all(this.#running)
  }

  /** A read from the store: a server that is cut off from its store must not pass for a healthy one. */
  async #ask(signal: AbortSignal): Promise<void> {
    if (this.#sights.get('leases') === 'refused') return
    const { namespace, ...address } = kindAddresses.leases
    await this.#client.resource(address).listPage({ namespace, limit: 1 }, signal)
  }

  /** The rights of a user may change while the page is open. */
  #noticing(kind: KindName): Transport {
    return async (request) => {
      const answer = await this.#transport(request)
      if (isForbidden(answer)) this.#see(kind, 'refused')
      else if (isNotFound(answer)) this.#see(kind, 'absent')
      else if (isSuccess(answer) && this.#informers.get(kind)?.synced) this.#see(kind, 'seen')
      return answer
    }
  }

  #see(kind: KindName, sight: Sight): void {
    if (this.#sights.get(kind) === sight) return
    this.#sights.set(kind, sight)
    this.#change(kind)
  }

  #change(kind: KindName): void {
    this.#changed.add(kind)
    this.#gather()
  }

  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#clock.after(gatherMs, () => {
      this.#isGathering = false
      this.#emit()
    })
  }

  #emit(): void {
    const changed = [...this.#changed].map((kind) => [kind, this.#seen(kind)] as const)
    this.#changed.clear()
    this.#shown = {
      ...this.#shown,
      ...(Object.fromEntries(changed) as Partial<Observed>),
      ...{ atMs: this.#clock.wallMs(), served: this.#served, unseen: this.#reach.unseen() },
    }
    this.#options.show(this.#shown)
  }

  #seen(kind: KindName): Seen<ApiObject> {
    const sight = this.#sights.get(kind) ?? 'waiting'
    const store = this.#informers.get(kind)?.store
    return { sight, objects: store ? [...store.values()] : [] }
  }
}
