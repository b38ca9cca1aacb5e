import assert from 'node:assert/strict'
import type { AgreementStatus } from '@strata/api'
import type { StrataServer } from '@strata/server'
import { createFaultyStore, createMemoryStore, MemoryData, noFaults, type Store } from '@strata/server/store'
import { type SimProcess, Simulation } from '@strata/world/sim'
import {
  type Answer,
  agreementPath,
  beacon,
  beaconPath,
  call,
  createFleetServer,
  type FleetServerOptions,
} from './fleet.ts'

const group = 'lighthouse.example.dev'
const never = new AbortController().signal

export interface VotePlan {
  readonly form?: 'report' | 'vote'
  readonly guarantee?: 'strict' | 'loose'
  readonly expectedServers?: number
  /** The default roles and APIServices, of which most tests have no use. */
  readonly bootstrapPolicy?: boolean
  readonly apiServices?: boolean
  readonly allowUndecodableStorage?: readonly string[]
  /** Wraps the store of this server. */
  readonly wrap?: (store: Store) => Store
}

export interface VoteMember {
  readonly process: SimProcess
  readonly server: StrataServer
  /** Resolves when it is ready. */
  readonly started: Promise<void>
}

/** Servers of different releases and forms over one store, in simulated time; they vote by default. */
export class VoteFleet {
  readonly simulation: Simulation
  readonly data = new MemoryData()
  readonly #members = new Map<string, VoteMember>()
  readonly #more: Pick<FleetServerOptions, 'traceWriters'>

  constructor(seed: string, more: Pick<FleetServerOptions, 'traceWriters'> = {}) {
    this.simulation = new Simulation(seed)
    this.#more = more
  }

  /** Starts a server without waiting for it. */
  launch(name: string, release: string, { wrap = (store) => store, ...plan }: VotePlan = {}): VoteMember {
    const process = this.simulation.process(name, { host: name })
    const store = createFaultyStore(wrap(createMemoryStore(this.data)), {
      network: this.simulation.clock,
      local: process.clock,
      random: this.simulation.fork(`store of ${process.id}`),
      faults: noFaults,
    })
    const server = createFleetServer({
      ...{ world: process, store, instance: name, release, form: 'vote', ...plan, ...this.#more },
    })
    const member = { process, server, started: server.start(never) }
    member.started.catch(() => {})
    this.#members.set(name, member)
    return member
  }

  async start(name: string, release: string, plan?: VotePlan): Promise<StrataServer> {
    const { server, started } = this.launch(name, release, plan)
    await this.settle(started)
    return server
  }

  /** As an operator upgrades: ends it kindly, and starts the next in its place. */
  async restart(name: string, release: string, plan?: VotePlan): Promise<StrataServer> {
    await this.stop(name)
    return this.start(name, release, plan)
  }

  async stop(name: string): Promise<void> {
    const { process, server } = this.member(name)
    await this.settle(server.stop(5_000))
    process.crash()
    await this.pass(500)
  }

  has(name: string): boolean {
    return this.#members.has(name)
  }

  member(name: string): VoteMember {
    const member = this.#members.get(name)
    assert.ok(member, `there is no ${name}`)
    return member
  }

  ask(name: string, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    return this.settle(call(this.member(name).server.handle, method, path, body, headers))
  }

  /** Creates a beacon through the server, in whichever version it serves, and says what it is stored in. */
  async write(name: string, object: string, apiVersionName: 'v1' | 'v2' = 'v2'): Promise<string> {
    const answer = await this.ask(name, 'POST', beaconPath(apiVersionName), beacon(apiVersionName, object, 5))
    return answer.status === 201 ? this.storedIn(object) : `${answer.status} ${answer.body.message}`
  }

  /** The name of the version in the stored bytes; `nothing` if there are none. */
  storedIn(object: string): string {
    const [entry] = this.data.read([`/registry/${group}/beacons/default/${object}`]).entries
    if (!entry) return 'nothing'
    return String(JSON.parse(Buffer.from(entry.value).toString()).apiVersion).slice(group.length + 1)
  }

  /** The record of beacons, as the server shows it. */
  async record(through: string): Promise<AgreementStatus> {
    return (await this.ask(through, 'GET', agreementPath)).body.status
  }

  /** The selected version, then the version of each entry, sorted by server name. */
  async said(through: string): Promise<string> {
    const { selectedVersion = 'nothing', servers } = await this.record(through)
    const short = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1)
    const names = new Map(
      [...this.#members].map(([name, { server }]) => [server.coordinator.identity.process, name]),
    )
    const each = servers.map(({ process, encodingVersion, refusesWrites }) =>
      refusesWrites ? `${names.get(process)} -` : `${names.get(process)} ${short(encodingVersion)}`,
    )
    return [short(selectedVersion), ...each.sort()].join(', ')
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise, { maxEvents: 500_000 })
  }

  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }
}
