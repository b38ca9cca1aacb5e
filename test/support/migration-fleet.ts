import assert from 'node:assert/strict'
import type { GroupResource } from '@strata/api'
import { type Client, createClient, createFailoverTransport } from '@strata/client'
import {
  type MigrationOptions,
  type MigrationResult,
  migrate,
  observeTarget,
  type TargetDecision,
} from '@strata/controllers'
import { createWebhookClient, type StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import type { HttpRequest, HttpResponse, Outbound, Transport } from '@strata/world'
import { createSimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { type Answer, adminToken, beacon, beaconPath, call, createFleetServer } from './fleet.ts'

const never = new AbortController().signal
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const mergePatch = { 'content-type': 'application/merge-patch+json' }
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } },
  },
}

export const lamps = { group: 'light.example.dev', resource: 'lamps' } as const
export const lampsPath = (name = '', versionName = 'v1', namespace = 'default'): string =>
  `/apis/${lamps.group}/${versionName}/namespaces/${namespace}/lamps${name === '' ? '' : `/${name}`}`
export const lampName = (index: number): string => `lamp-${String(index).padStart(5, '0')}`

/** Intercepts the requests of a migrator. */
export type Through = (request: HttpRequest, send: Transport) => Promise<HttpResponse>

export interface Migrator {
  readonly process: SimProcess
  readonly client: Client
  /** Method and path of each write. */
  readonly writes: readonly string[]
  observe(signal?: AbortSignal): Promise<TargetDecision>
  /** Begins, bound to what is agreed now. */
  start(more?: Partial<MigrationOptions>): Promise<MigrationResult>
}

export interface MigrationFleetOptions {
  /** Sends the calls to webhooks. */
  readonly outbound?: Outbound
  readonly guarantee?: Guarantee
  /** The guarantee of some servers, by name, if it differs from that of all. */
  readonly guarantees?: Readonly<Record<string, Guarantee>>
}

type Guarantee = 'strict' | 'loose'

/** Servers over one store, a custom resource with two versions, and migrators that reach them over a network. */
export class MigrationFleet {
  readonly simulation: Simulation
  readonly data = new MemoryData()
  readonly #network
  readonly #outbound: Outbound | undefined
  readonly #guaranteeOf: (name: string) => Guarantee
  readonly #servers = new Map<string, StrataServer>()

  constructor(seed: string, { outbound, guarantee = 'strict', guarantees = {} }: MigrationFleetOptions = {}) {
    this.simulation = new Simulation(seed)
    this.#network = createSimNetwork(this.simulation)
    this.#outbound = outbound
    this.#guaranteeOf = (name) => guarantees[name] ?? guarantee
  }

  startServer(name: string, release?: string): Promise<void> {
    return this.settle(this.addServer(name, release))
  }

  /** The same from within what is being waited for. */
  async addServer(name: string, release = 'x+2'): Promise<void> {
    const process = this.simulation.process(name, { host: name })
    const store = createMemoryStore(this.data)
    const out = { clock: process.clock, ...(this.#outbound ? { outbound: this.#outbound } : {}) }
    const webhooks = createWebhookClient(out)
    const options = { store, instance: name, release, webhooks, guarantee: this.#guaranteeOf(name) }
    const server = createFleetServer({ world: process, ...options })
    await server.start(never)
    this.#network.listen(name, process, server.handle)
    this.#servers.set(name, server)
  }

  /** Two servers that have agreed on v2, and lamps stored in v1. */
  async startSwitched(count: number): Promise<void> {
    await this.startServer('a')
    await this.startServer('b')
    await this.fill(count)
    await this.switchTo('v2')
  }

  /** Beacons stored in v1 by an old release, and a fleet of a newer one that stores v2. */
  async startUpgraded(count: number): Promise<void> {
    await this.startServer('a', 'x+1')
    for (let index = 0; index < count; index++) {
      const { status } = await this.ask('POST', beaconPath('v1'), beacon('v1', lampName(index), 5))
      assert.equal(status, 201)
    }
    await this.settle(this.stopServer('a'))
    await this.startServer('b')
    await this.startServer('c')
  }

  async stopServer(name: string): Promise<void> {
    const server = this.#servers.get(name)
    assert.ok(server)
    this.#servers.delete(name)
    await server.stop(5_000)
  }

  /** From a process to whichever server answers. */
  connect(process: SimProcess): Transport {
    const [first, ...others] = [...this.#servers.keys()].map((name) => this.#network.connect(process, name))
    assert.ok(first)
    return createFailoverTransport([first, ...others])
  }

  migrator(resource: GroupResource, through: Through = (request, send) => send(request)): Migrator {
    const process = this.simulation.process('migrator', { host: 'migrator' })
    const writes: string[] = []
    const fleet = this.connect(process)
    const transport: Transport = (request) => {
      if (request.method !== 'GET') writes.push(`${request.method} ${request.target.split('?')[0]}`)
      return through(request, fleet)
    }
    const answerLimit = { clock: process.clock, answerMs: 90_000 }
    const client = createClient({ transport, token: adminToken, userAgent: 'migrator', answerLimit })
    const observe = (signal: AbortSignal = never): Promise<TargetDecision> =>
      observeTarget({ client, resource }, signal)
    const start = async (more: Partial<MigrationOptions> = {}): Promise<MigrationResult> => {
      const decision = await observe()
      assert.ok(decision.agreed, JSON.stringify(decision))
      // Through the API by default: that is what most of these tests are about.
      const how = { nextToData: false, ...more }
      return migrate({ world: process, client, target: decision.target, observe, signal: never, ...how })
    }
    return { process, client, writes, observe, start }
  }

  /** Lamps, stored in v1. */
  async fill(
    count: number,
    more: { readonly spec?: object; readonly metadata?: object } = {},
  ): Promise<void> {
    const { spec, ...rest } = this.#definition('v1')
    this.#expect(201, await this.ask('POST', crds, { ...rest, spec: { ...spec, ...more.spec } }))
    await this.#untilAgreed('v1')
    for (let index = 0; index < count; index++) {
      const metadata = { name: lampName(index), ...more.metadata }
      const lamp = { apiVersion: `${lamps.group}/v1`, kind: 'Lamp', metadata, spec: { watts: index } }
      this.#expect(201, await this.ask('POST', lampsPath(), lamp))
    }
  }

  /** From now on they are stored in this version. */
  async switchTo(versionName: string): Promise<void> {
    await this.settle(this.change(this.storedIn(versionName)))
    await this.#untilAgreed(versionName)
  }

  storedIn(versionName: string): object {
    return { spec: { versions: this.#definition(versionName).spec.versions } }
  }

  /** Changes the definition, without waiting for what follows. */
  async change(patch: object): Promise<void> {
    this.#expect(200, await this.send('PATCH', `${crds}/lamps.${lamps.group}`, patch, mergePatch))
  }

  /** How many objects are stored in which version: what is really there. */
  stored(prefix = `/registry/${lamps.group}/`): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { value } of this.data.list({ prefix }).entries) {
      const { apiVersion } = JSON.parse(Buffer.from(value).toString())
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
    }
    return counts
  }

  ask(method: string, target: string, body?: unknown): Promise<Answer> {
    return this.settle(this.send(method, target, body))
  }

  /** The same without waiting for the answer. */
  send(method: string, target: string, body?: unknown, headers = {}): Promise<Answer> {
    const [server] = this.#servers.values()
    assert.ok(server)
    return call(server.handle, method, target, body, headers)
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise)
  }

  #definition(storage: string) {
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `lamps.${lamps.group}` },
      spec: {
        group: lamps.group,
        names: { plural: 'lamps', kind: 'Lamp' },
        scope: 'Namespaced',
        versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage, schema })),
      },
    }
  }

  async #untilAgreed(versionName: string): Promise<void> {
    const path = `/apis/strata.dev/v1alpha1/storageagreements/${lamps.group}.lamps`
    for (let second = 0; second < 20; second++) {
      const { body } = await this.ask('GET', path)
      if (body.status?.agreedVersion === `${lamps.group}/${versionName}`) return
      await this.simulation.run({ untilMs: this.simulation.nowMs + 1_000 })
    }
    assert.fail(`not agreed on ${versionName}`)
  }

  #expect(status: number, answer: Answer): void {
    assert.equal(answer.status, status, JSON.stringify(answer.body))
  }
}
