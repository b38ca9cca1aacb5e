import type { ResourceDefinition } from '@strata/api'
import type { FeatureGates, ProtocolRules, StrataServer } from '@strata/server'
import {
  createFaultyStore,
  createMemoryStore,
  type FaultyStoreHooks,
  MemoryData,
  noFaults,
} from '@strata/server/store'
import { type SimProcess, Simulation } from '@strata/world/sim'
import { type Answer, call, createFleetServer } from './fleet.ts'

const never = new AbortController().signal

export interface GatedServer {
  readonly name: string
  readonly process: SimProcess
  readonly server: StrataServer
  /** While true the store does not answer this server. */
  isCutOff: boolean
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  ask(method: string, target: string, body?: unknown): Promise<Answer>
  /** Leaves as it should. */
  stop(): Promise<void>
}

export interface GatedServerOptions {
  readonly gates?: Partial<FeatureGates>
  readonly expectedServers?: number
  readonly form?: 'report' | 'vote'
  readonly hooks?: FaultyStoreHooks
  /** The built-in kinds. Defaults to all. */
  readonly builtInResources?: readonly ResourceDefinition[]
  readonly rules?: ProtocolRules
  /** Kinds besides the lighthouse's. */
  readonly resources?: readonly ResourceDefinition[]
  /** How long each leg of a request to the store takes at most. */
  readonly delayMs?: number
}

/** Servers with features that are off by default, each a process of its own, over one store. */
export class GatedFleet {
  readonly simulation: Simulation
  readonly data = new MemoryData()
  readonly #gates: Partial<FeatureGates>

  constructor(seed: string, gates: Partial<FeatureGates>) {
    this.simulation = new Simulation(seed)
    this.#gates = gates
  }

  /** Does not wait until it is ready. */
  create(
    name: string,
    release: string,
    more: GatedServerOptions = {},
  ): GatedServer & { readonly ready: Promise<void> } {
    const process = this.simulation.process(name, { host: name })
    const store = createFaultyStore(createMemoryStore(this.data), {
      network: this.simulation.clock,
      local: process.clock,
      random: this.simulation.fork(`store of ${process.id}`),
      faults: { ...noFaults, delayMs: { from: 0, to: more.delayMs ?? 0 } },
      partitioned: () => found.isCutOff,
      ...(more.hooks ? { hooks: more.hooks } : {}),
    })
    const featureGates = more.gates ?? this.#gates
    const { expectedServers = 0, form = 'report', resources = [] } = more
    const server = createFleetServer({
      world: process,
      store,
      instance: name,
      release,
      featureGates,
      expectedServers,
      form,
      resources,
      ...(more.builtInResources ? { builtInResources: more.builtInResources } : {}),
      ...(more.rules ? { rules: more.rules } : {}),
    })
    const ask = (method: string, target: string, body?: unknown, headers = {}): Promise<Answer> =>
      this.settle(call(server.handle, method, target, body, headers))
    const found = {
      ...{ name, process, server, ask, isCutOff: false },
      get: (target: string, headers = {}) => ask('GET', target, undefined, headers),
      stop: async () => {
        await this.settle(server.stop(5_000))
        process.crash()
      },
      ready: server.start(never),
    }
    return found
  }

  async start(...options: Parameters<GatedFleet['create']>): Promise<GatedServer> {
    const created = this.create(...options)
    await this.settle(created.ready)
    return created
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise, { maxEvents: 2_000_000 })
  }

  /** Lets simulated time pass. */
  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }
}
