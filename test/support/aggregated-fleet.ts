import assert from 'node:assert/strict'
import { type MirroredOrigin, originsAnnotation } from '@strata/api'
import { type Client, createClient, createFailoverTransport } from '@strata/client'
import { type ControllersOptions, runControllers } from '@strata/controllers'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { OutboundError, type Remote, readAll, type Transport, utf8 } from '@strata/world'
import { createSimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { type Answer, adminToken, beacon, beaconPath, call, createFleetServer } from './fleet.ts'

const never = new AbortController().signal
const group = 'lighthouse.example.dev'
const name = `${group}.beacons`
export const mirrorPath = `/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/${name}`
export const originRecord = `/apis/${group}/v1/storageagreements/${name}`

export interface AggregatedFleetOptions {
  /** False for servers of another make, which list no records in their groups. */
  readonly isStrata?: boolean
}

/**
 * An aggregator, `front`, with its own store, and behind it servers that have beacons in another one. The proxy between them can
 * be cut.
 */
export class AggregatedFleet {
  readonly simulation: Simulation
  /** The store of the aggregated servers. */
  readonly origin = new MemoryData()
  isCut = false
  /** Requests of clients that the aggregator does not pass on, by method and path, and what it answers instead. */
  refuses: { readonly requests: RegExp; readonly status: number } | undefined
  /** Method and path of each request that controllers sent to write, without their elections. */
  readonly writes: string[] = []
  readonly front: StrataServer
  readonly #network
  readonly #frontProcess: SimProcess
  readonly #servers = new Map<string, StrataServer>()
  readonly #isStrata: boolean

  constructor(seed: string, { isStrata = true }: AggregatedFleetOptions = {}) {
    this.simulation = new Simulation(seed)
    this.#network = createSimNetwork(this.simulation)
    this.#isStrata = isStrata
    this.#frontProcess = this.simulation.process('front', { host: 'front' })
    this.front = createFleetServer({
      ...{ world: this.#frontProcess, store: createMemoryStore(new MemoryData()), instance: 'front' },
      ...{ apiServices: true, hasLighthouse: false },
      aggregation: { remote: this.#remote, resolveService: () => 'https://backend:1' },
    })
  }

  static async start(seed: string, options: AggregatedFleetOptions = {}): Promise<AggregatedFleet> {
    const fleet = new AggregatedFleet(seed, options)
    await fleet.settle(fleet.front.start(never))
    fleet.#network.listen('front', fleet.#frontProcess, fleet.front.handle)
    return fleet
  }

  /** Registers both versions, and waits until the aggregator passes them on. */
  async register(): Promise<void> {
    for (const version of ['v1', 'v2']) {
      const { status, body } = await this.ask('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
        ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
        metadata: { name: `${version}.${group}` },
        spec: {
          ...{ group, version, groupPriorityMinimum: 100, versionPriority: version === 'v2' ? 20 : 10 },
          service: { namespace: 'lights', name: 'api' },
        },
      })
      assert.equal(status, 201, JSON.stringify(body))
    }
    await this.until(
      'the group is served',
      async () => (await this.ask('GET', beaconPath('v2'))).status === 200,
    )
  }

  async addServer(instance: string, release: string): Promise<void> {
    const process = this.simulation.process(instance, { host: instance })
    const server = createFleetServer({
      ...{ world: process, store: createMemoryStore(this.origin), instance, release },
      ...(this.#isStrata ? { aggregated: { aggregator: this.#asAdmin, mirrors: false } } : {}),
    })
    await this.settle(server.start(never))
    this.#network.listen(instance, process, server.handle)
    this.#servers.set(instance, server)
  }

  /** How an aggregated server reaches the aggregator. */
  readonly #asAdmin: Transport = (request) =>
    this.front.handle({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${adminToken}` },
    })

  async removeServer(instance: string): Promise<void> {
    const server = this.#servers.get(instance)
    assert.ok(server)
    this.#servers.delete(instance)
    await this.settle(server.stop(5_000))
  }

  /** Beacons in v1, and servers that have agreed on v2. */
  async startUpgraded(count: number): Promise<void> {
    await this.addServer('a', 'x+1')
    await this.register()
    for (let index = 0; index < count; index++) {
      const { status, body } = await this.ask('POST', beaconPath('v1'), beacon('v1', `b-${index}`, 5))
      assert.equal(status, 201, JSON.stringify(body))
    }
    await this.addServer('b', 'x+2')
    await this.removeServer('a')
  }

  /** How many beacons are stored in which version: what is really there. */
  stored(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { value } of this.origin.list({ prefix: `/registry/${group}/` }).entries) {
      const { apiVersion } = JSON.parse(Buffer.from(value).toString())
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
    }
    return counts
  }

  /** A client of the aggregator. */
  client(userAgent = 'client'): Client {
    const process = this.simulation.process(userAgent, { host: userAgent })
    const send = this.#network.connect(process, 'front')
    const transport: Transport = (request) => {
      const isElection = request.target.includes('/leases')
      if (request.method !== 'GET' && !isElection)
        this.writes.push(`${request.method} ${request.target.split('?')[0]}`)
      const { requests, status = 0 } = this.refuses ?? {}
      if (requests?.test(`${request.method} ${request.target}`))
        return Promise.resolve({ status, headers: {}, body: utf8.encode('refused') })
      return send(request)
    }
    const answerLimit = { clock: process.clock, answerMs: 90_000 }
    return createClient({ transport, token: adminToken, userAgent, answerLimit })
  }

  startControllers(options: Partial<ControllersOptions> = {}): AbortController {
    const stop = new AbortController()
    const world = this.simulation.process('controllers', { host: 'controllers' })
    const controllers = ['storage-version-migration-trigger', 'storage-version-migrator']
    const all = { controllers, ...options }
    void runControllers({ world, client: this.client('controllers'), options: all, signal: stop.signal })
    return stop
  }

  /** Writes a StorageVersion in the aggregator, as servers or their mirror do. */
  async publish(versionName: string, origins?: readonly Pick<MirroredOrigin, 'origin' | 'recordUID'>[]) {
    const encodingVersion = `${group}/${versionName}`
    const shown = origins?.map((each) => ({ ...each, epoch: 1, resourceVersion: '1' }))
    const annotations = shown ? { annotations: { [originsAnnotation]: JSON.stringify(shown) } } : {}
    const object = {
      ...{ apiVersion: 'internal.apiserver.k8s.io/v1alpha1', kind: 'StorageVersion', spec: {} },
      metadata: { name, ...annotations },
    }
    const path = mirrorPath.slice(0, mirrorPath.lastIndexOf('/'))
    const made = await this.ask('POST', path, object)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const entry = { apiServerID: 'other-server', encodingVersion, decodableVersions: [encodingVersion] }
    const status = {
      ...{ storageVersions: [entry], commonEncodingVersion: encodingVersion },
      conditions: [
        {
          ...{ type: 'AllEncodingVersionsEqual', status: 'True', reason: 'CommonEncodingVersionSet' },
          ...{ message: 'Common encoding version set', lastTransitionTime: '2026-01-01T00:00:00Z' },
        },
      ],
    }
    const said = await this.ask('PUT', `${mirrorPath}/status`, { ...made.body, status })
    assert.equal(said.status, 200, JSON.stringify(said.body))
  }

  /** One request to the aggregator. */
  ask(method: string, target: string, body?: unknown): Promise<Answer> {
    return this.settle(call(this.front.handle, method, target, body))
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise, { maxEvents: 500_000 })
  }

  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }

  async until(what: string, holds: () => Promise<boolean>, seconds = 180): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      if (await holds()) return
      await this.pass(1_000)
    }
    assert.fail(`gave up waiting until ${what}`)
  }

  /** In place of the request headers, which need a certificate: the administrator's token. */
  readonly #remote: Remote = async ({ method, url, headers, body, signal }) => {
    const [first, ...others] = [...this.#servers.keys()].map((each) =>
      this.#network.connect(this.#frontProcess, each),
    )
    if (this.isCut || !first) throw new OutboundError('connection refused')
    try {
      return await createFailoverTransport([first, ...others])({
        ...{ method, target: url.replace(/^https:\/\/[^/]+/, ''), signal },
        headers: { ...headers, authorization: `Bearer ${adminToken}` },
        ...(body === undefined ? {} : { body: await readAll(body) }),
      })
    } catch (error) {
      if (signal.aborted) throw error
      throw new OutboundError(String(error))
    }
  }
}
