import { createClient, createFailoverTransport } from '@strata/client'
import { type ControllersOptions, runAgreementCollectors, runControllers } from '@strata/controllers'
import type { StrataServer } from '@strata/server'
import {
  createFaultyStore,
  createMemoryStore,
  type Faults,
  type FaultyStoreHooks,
  MemoryData,
  noFaults,
} from '@strata/server/store'
import type { HttpRequest, Transport } from '@strata/world'
import { createSimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { type Answer, adminToken, call, createFleetServer, type FleetServerOptions } from './fleet.ts'

/** The duration of identity Leases in these fleets. They are renewed every three seconds by default. */
export const leaseDurationMs = 20_000

/** The root certificates that the controllers of these fleets publish. */
export const rootCa = 'root certificates in PEM form'

export interface FleetMember {
  readonly process: SimProcess
  readonly server: StrataServer
}

export interface ControllersMember {
  readonly process: SimProcess
  readonly stop: AbortController
  /** Its writes: method and path of each, without its own election. */
  readonly acts: readonly string[]
}

export interface ServerPlan {
  readonly release?: string
  readonly renewIntervalSeconds?: number
  readonly hooks?: FaultyStoreHooks
  /** How long the store takes to answer; at once by default. */
  readonly storeDelayMs?: Faults['delayMs']
  readonly featureGates?: FleetServerOptions['featureGates']
  readonly runtimeConfig?: string
  /** Distinguishes it from other servers of its host. Defaults to its name. */
  readonly instance?: string
  readonly host?: string
  /** Takes part in collecting what dead servers have left, as `strata serve` does. */
  readonly collects?: boolean
}

/** Servers, controllers and an administrator, each a process of its own, over one store and a calm network. */
export class CollectorFleet {
  readonly simulation: Simulation
  readonly data = new MemoryData()
  readonly #network
  readonly #admin: SimProcess

  constructor(seed: string) {
    this.simulation = new Simulation(seed)
    this.#network = createSimNetwork(this.simulation)
    this.#admin = this.simulation.process('admin')
  }

  async startServer(name: string, plan: ServerPlan = {}): Promise<FleetMember> {
    const { started, ...member } = this.launch(name, plan)
    await this.settle(started)
    return member
  }

  /** The same without waiting until it has started. */
  launch(name: string, plan: ServerPlan = {}): FleetMember & { readonly started: Promise<void> } {
    const { release = 'x+1', renewIntervalSeconds = 3, hooks = {}, instance = name, host = name } = plan
    const process = this.simulation.process(name, { host })
    const store = createFaultyStore(createMemoryStore(this.data), {
      network: this.simulation.clock,
      local: process.clock,
      random: this.simulation.fork(`store of ${process.id}`),
      faults: plan.storeDelayMs ? { ...noFaults, delayMs: plan.storeDelayMs } : noFaults,
      hooks,
    })
    const leaseDurationSeconds = leaseDurationMs / 1000
    const timing = { leaseDurationSeconds, renewIntervalSeconds }
    const { featureGates, runtimeConfig } = plan
    const gates = { featureGates, runtimeConfig }
    const server = createFleetServer({ world: process, store, instance, release, ...timing, ...gates })
    this.#network.listen(name, process, server.handle)
    if (plan.collects) {
      const client = createClient({ transport: server.handle, token: adminToken, userAgent: name })
      const options = { defaultLeaseDurationMs: 2 * leaseDurationMs }
      const { signal } = new AbortController()
      process.deliver(0, 'collectors', () => {
        void runAgreementCollectors({ world: process, client, options, signal })
      })
    }
    return { process, server, started: server.start(new AbortController().signal) }
  }

  /** `through` changes what passes between it and the servers; it is asked for every request. */
  startControllers(
    name: string,
    servers: readonly [string, ...string[]],
    through: (request: HttpRequest, send: Transport) => ReturnType<Transport> = (request, send) =>
      send(request),
    controllers: readonly string[] = ['identity-lease-collector', 'storage-version-gc'],
    more: Partial<ControllersOptions> = {},
  ): ControllersMember {
    const process = this.simulation.process(name, { host: name })
    const stop = new AbortController()
    const acts: string[] = []
    const [first, ...others] = servers.map((server) => this.#network.connect(process, server))
    if (!first) throw new RangeError('controllers need a server')
    const fleet = createFailoverTransport([first, ...others])
    const transport: Transport = (request) => {
      const isElection = request.target.includes('/leases/strata-') || request.method === 'POST'
      if (request.method !== 'GET' && !isElection) acts.push(`${request.method} ${request.target}`)
      return through(request, fleet)
    }
    const client = createClient({ transport, token: adminToken, userAgent: 'controllers' })
    const options = { controllers, rootCa, defaultLeaseDurationMs: 2 * leaseDurationMs, ...more }
    void runControllers({ world: process, client, options, signal: stop.signal })
    return { process, stop, acts }
  }

  /** One request of the administrator to the named server. */
  ask(server: string, method: string, target: string, body?: unknown): Promise<Answer> {
    return this.settle(this.send(server, method, target, body))
  }

  /** The same without waiting for the answer. */
  send(server: string, method: string, target: string, body?: unknown): Promise<Answer> {
    return call(this.#network.connect(this.#admin, server), method, target, body)
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise, { maxEvents: 500_000 })
  }

  /** Lets simulated time pass. */
  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }
}

export const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
export const agreementsPath = '/apis/strata.dev/v1alpha1/storageagreements'
export const storageVersionsPath = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
