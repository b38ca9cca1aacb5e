import { createClient, createFailoverTransport } from '@strata/client'
import { type MirrorObserver, runAgreementCollectors, runOriginMirror } from '@strata/controllers'
import { coordinationDefaults, createServer, type StrataServer, serverId } from '@strata/server'
import { createFaultyStore, createMemoryStore, MemoryData, noFaults, type Store } from '@strata/server/store'
import type { Transport } from '@strata/world'
import { createSimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { leaseDurationMs } from './collector-fleet.ts'
import { fewKinds } from './few-kinds.ts'
import { type Answer, adminToken, call, createFleetServer } from './fleet.ts'

const never = new AbortController().signal
const isMirrored = ({ group }: { readonly group: string }): boolean => group === 'lighthouse.example.dev'
const timing = { leaseDurationSeconds: leaseDurationMs / 1000, renewIntervalSeconds: 3 }

export interface MirrorMember {
  readonly process: SimProcess
  readonly server: StrataServer
  stop(): Promise<void>
}

/**
 * Aggregators, over one store, and fleets behind them, each over a store of its own. Only the mirror is between them: no request
 * is passed on here.
 */
export class MirrorFleet {
  readonly simulation: Simulation
  readonly aggregatorData = new MemoryData()
  readonly #network
  readonly #admin: SimProcess
  readonly #origins = new Map<string, MemoryData>()

  constructor(seed: string, onLine?: (line: string) => void) {
    this.simulation = new Simulation(seed, onLine ? { onLine } : {})
    this.#network = createSimNetwork(this.simulation)
    this.#admin = this.simulation.process('admin')
  }

  /** A server of the aggregator fleet. It collects, and does not serve the kinds of the origins. */
  async startAggregator(
    name: string,
    more: Partial<Pick<Parameters<typeof createServer>[0], 'runtimeConfig'>> & { collects?: boolean } = {},
  ): Promise<MirrorMember> {
    const { collects = true, ...options } = more
    const process = this.simulation.process(name, { host: name })
    const server = createServer({
      ...{ world: process, store: this.#storeOf(process, this.aggregatorData), builtInResources: fewKinds },
      ...{ bootstrapPolicy: false, apiServices: false, ...options },
      tokens: (token) => (token === adminToken ? { name: 'admin', groups: ['system:masters'] } : undefined),
      coordination: { ...coordinationDefaults, serverID: serverId(name, name), ...timing },
    })
    await this.#start(name, process, server)
    if (collects) {
      const client = createClient({ transport: server.handle, token: adminToken, userAgent: name })
      const options = { defaultLeaseDurationMs: 2 * leaseDurationMs }
      process.deliver(0, 'collectors', () => {
        void runAgreementCollectors({ world: process, client, options, signal: never })
      })
    }
    return this.#member(process, server)
  }

  /** A server of an aggregated fleet, with its mirror. `through` changes what passes between the mirror and the aggregators. */
  async startAggregated(
    name: string,
    {
      origin = 'origin',
      release = 'x',
      aggregators = ['aggregator'],
      through = (send) => send,
      observe = () => {},
    }: {
      readonly origin?: string
      readonly release?: string
      readonly aggregators?: readonly string[]
      readonly through?: (send: Transport, process: SimProcess) => Transport
      readonly observe?: MirrorObserver
    } = {},
  ): Promise<MirrorMember> {
    const process = this.simulation.process(name, { host: name })
    const store = this.#storeOf(process, this.dataOf(origin))
    const kinds = { builtInResources: fewKinds, release }
    const server = createFleetServer({ world: process, store, instance: name, ...kinds, ...timing })
    await this.#start(name, process, server)
    const [first, ...others] = aggregators.map((each) => this.#network.connect(process, each))
    if (!first) throw new RangeError('a mirror needs an aggregator')
    const transport = through(createFailoverTransport([first, ...others]), process)
    const stop = new AbortController()
    let mirroring: Promise<void> = Promise.resolve()
    process.deliver(0, 'mirror', () => {
      const client = createClient({ transport: server.handle, token: adminToken, userAgent: name })
      const aggregator = createClient({ transport, token: adminToken, userAgent: name })
      const options = { world: process, client, aggregator, isMirrored, observe }
      mirroring = runOriginMirror(options, stop.signal)
    })
    return this.#member(process, server, async () => {
      stop.abort(new Error('the server is shutting down'))
      await mirroring
    })
  }

  /** The store of an aggregated fleet. */
  dataOf(origin: string): MemoryData {
    const data = this.#origins.get(origin) ?? new MemoryData()
    this.#origins.set(origin, data)
    return data
  }

  ask(server: string, method: string, target: string, body?: unknown): Promise<Answer> {
    return this.settle(call(this.#network.connect(this.#admin, server), method, target, body))
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise, { maxEvents: 500_000 })
  }

  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }

  /** A frozen process gets no answers. */
  #storeOf(process: SimProcess, data: MemoryData): Store {
    return createFaultyStore(createMemoryStore(data), {
      ...{ network: this.simulation.clock, local: process.clock, faults: noFaults },
      random: this.simulation.fork(`store of ${process.id}`),
    })
  }

  async #start(name: string, process: SimProcess, server: StrataServer): Promise<void> {
    this.#network.listen(name, process, server.handle)
    await this.settle(server.start(never))
  }

  #member(process: SimProcess, server: StrataServer, before = async (): Promise<void> => {}): MirrorMember {
    const stop = async (): Promise<void> => {
      await this.settle(before())
      await this.settle(server.stop(5_000))
      process.crash()
    }
    return { process, server, stop }
  }
}
