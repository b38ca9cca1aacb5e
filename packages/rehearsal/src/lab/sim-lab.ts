import { MemoryData } from '@strata/server/store'
import { type Transport, TransportError } from '@strata/world'
import { createSimNetwork, type SimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import type { RehearsalPath } from '../path/rehearsal-path.ts'
import { kindsOf } from '../path/rehearsed-kind.ts'
import { type Asked, currentServers, type Lab, type LabServer, type Reply, type StoredValue } from './lab.ts'
import { sendRequest, withRetries } from './send-request.ts'
import { SimServer, simToken } from './sim-server.ts'

export interface SimParts {
  readonly path: RehearsalPath
  readonly simulation: Simulation
  readonly network: SimNetwork
  readonly data: MemoryData
  /** Whether a key of the store is that of a rehearsed object. */
  readonly isObject: (key: string) => boolean
  settle<T>(promise: Promise<T>): Promise<T>
}

/** A fleet over one store in memory, in simulated time: the servers are the real ones, and nothing else is. */
export class SimLab implements Lab {
  readonly servers: readonly SimServer[]
  readonly token = simToken
  /** Operates the fleet, and uses it. */
  readonly client: SimProcess
  readonly #data = new MemoryData()
  readonly #simulation: Simulation
  readonly #network: SimNetwork
  #turn = 0

  constructor(path: RehearsalPath, seed: string) {
    const simulation = new Simulation(seed)
    const network = createSimNetwork(simulation)
    const prefixes = kindsOf(path.subject).map(({ prefix }) => prefix)
    this.#simulation = simulation
    this.#network = network
    this.client = simulation.process('client', { host: 'desk' })
    const parts: SimParts = {
      ...{ path, simulation, network, data: this.#data, settle: (promise) => this.settle(promise) },
      isObject: (key) => prefixes.some((prefix) => key.startsWith(prefix)),
    }
    this.servers = Array.from({ length: path.servers }, (_, index) => new SimServer(index + 1, parts))
  }

  get nowMs(): number {
    return Math.round(this.#simulation.nowMs)
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.#simulation.settle(promise)
  }

  async pass(ms: number): Promise<void> {
    await this.#simulation.run({ untilMs: this.#simulation.nowMs + ms })
  }

  async until(condition: () => boolean, limitMs: number): Promise<boolean> {
    await this.#simulation.run({ until: condition, untilMs: this.#simulation.nowMs + limitMs })
    return condition()
  }

  ask(server: LabServer, asked: Asked): Promise<Reply | undefined> {
    return withRetries(
      () => this.settle(this.#request(server, asked)),
      (ms) => this.pass(ms),
    )
  }

  send(server: LabServer, asked: Asked): void {
    void this.#request(server, asked)
  }

  get balanced(): Transport {
    return (request) => {
      const ready = currentServers(this).filter(({ isReady }) => isReady)
      const server = ready[this.#turn++ % Math.max(1, ready.length)]
      if (!server) return Promise.reject(new TransportError('no server is ready', 'no'))
      return this.#wayTo(server)(request)
    }
  }

  async load(entries: readonly StoredValue[]): Promise<void> {
    for (const { key, value } of entries) {
      this.#data.commit({ writes: [{ kind: 'put', key, value }], guards: [] })
    }
  }

  async stored(prefix: string): Promise<readonly StoredValue[]> {
    return this.#data.list({ prefix }).entries
  }

  #wayTo({ number }: LabServer): Transport {
    return this.#network.connect(this.client, this.servers[number - 1]?.name ?? '')
  }

  #request(server: LabServer, asked: Asked): Promise<Reply | undefined> {
    const { token, client } = this
    return sendRequest({ transport: this.#wayTo(server), token, clock: client.clock }, asked)
  }
}
