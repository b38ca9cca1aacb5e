import { createClient } from '@strata/client'
import { runAgreementCollectors } from '@strata/controllers'
import {
  coordinationDefaults,
  createServer,
  defaultFeatureGates,
  type StrataServer,
  serverId,
} from '@strata/server'
import { createFaultyStore, createMemoryStore, noFaults } from '@strata/server/store'
import type { SimProcess } from '@strata/world/sim'
import type { ServerState } from '../result/rehearsal-result.ts'
import { fewKinds } from './few-kinds.ts'
import type { HeldWrite } from './held-write.ts'
import type { LabServer } from './lab.ts'
import { LateWatches } from './late-watches.ts'
import type { SimParts } from './sim-lab.ts'
import { unfencedStore } from './unfenced-store.ts'

export const simToken = 'rehearsal'

/** How long a server may be silent until the others remove its entries: minutes would only be longer. */
const leaseSeconds = { leaseDurationSeconds: 40, renewIntervalSeconds: 10 }
const stopMs = 20_000

/** A server in processes of the simulated world. */
export class SimServer implements LabServer {
  readonly number: number
  readonly name: string
  readonly id: string
  readonly #host: string
  readonly #watches = new LateWatches()
  /** A write to hold, in the process that runs. */
  held: HeldWrite | undefined
  release = ''
  #process: SimProcess | undefined
  #server: StrataServer | undefined
  #collecting = new AbortController()
  readonly #parts: SimParts

  constructor(number: number, parts: SimParts) {
    this.number = number
    this.name = `server-${number}`
    this.#host = `host-${number}`
    this.id = serverId(this.#host, this.name)
    this.#parts = parts
  }

  get isUp(): boolean {
    return this.#process !== undefined && !this.#process.crashed && !this.#process.frozen
  }

  get #isFrozen(): boolean {
    return this.#process?.frozen ?? false
  }

  get isReady(): boolean {
    return this.#server?.ready ?? false
  }

  get isLate(): boolean {
    return this.#watches.isLate
  }

  get state(): ServerState['state'] {
    if (this.#isFrozen) return 'frozen'
    if (!this.isUp) return 'down'
    return this.isLate ? 'late' : 'up'
  }

  start(release: string): void {
    const { simulation, network, path, isObject } = this.#parts
    const process = simulation.process(this.name, { host: this.#host })
    const server: StrataServer = createServer({
      world: process,
      store: this.#connect(process, isObject),
      builtInResources: fewKinds,
      tokens: (token) => (token === simToken ? { name: 'rehearsal', groups: ['system:masters'] } : undefined),
      ...{ bootstrapPolicy: false, apiServices: false },
      ...this.#kindsOf(release),
      ...this.#natureOf(),
      coordination: {
        ...coordinationDefaults,
        ...leaseSeconds,
        serverID: this.id,
        form: path.coordination,
      },
    })
    this.release = release
    this.#process = process
    this.#server = server
    this.#collecting = new AbortController()
    const end = (): void => process.clock.soon(() => process.crash())
    server.coordinator.onFatal = end
    network.listen(this.name, process, server.handle)
    process.deliver(0, 'main', () => {
      server.start(this.#collecting.signal).catch((error: unknown) => {
        if (this.#collecting.signal.aborted) return
        process.log.warn('could not start', { error: String(error) })
        end()
      })
    })
    if (path.server === 'strata') this.#collect(process, server)
  }

  /** As `strata serve` does: it removes the entries of servers that are gone, as a client of itself. */
  #collect(process: SimProcess, server: StrataServer): void {
    const client = createClient({ transport: server.handle, token: simToken })
    const { signal } = this.#collecting
    process.deliver(0, 'collectors', () => void runAgreementCollectors({ world: process, client, signal }))
  }

  #kindsOf(release: string) {
    const { subject } = this.#parts.path
    if (subject.kind === 'resources') return { resources: subject.resources, release }
    return { conversions: subject.conversions }
  }

  /** What makes a server one of Strata, or act as a kube-apiserver does where stored versions are concerned. */
  #natureOf() {
    const { path } = this.#parts
    if (path.server === 'strata') return {}
    const allowUndecodableStorage =
      path.subject.kind === 'resources'
        ? path.subject.resources.map(({ group, plural }) => `${plural}.${group}`)
        : []
    return {
      featureGates: { ...defaultFeatureGates, StorageVersionAPI: false },
      runtimeConfig: ownApis.map((each) => `${each}=false`).join(','),
      allowUndecodableStorage,
    }
  }

  #connect(process: SimProcess, isObject: (key: string) => boolean) {
    const { simulation, data, path } = this.#parts
    const memory = createMemoryStore(data)
    const store = path.server === 'strata' ? memory : unfencedStore(memory, isObject)
    return createFaultyStore(this.#watches.wrap(store), {
      network: simulation.clock,
      local: process.clock,
      random: simulation.fork(`store of ${process.id}`),
      faults: { ...noFaults, delayMs: { from: 0, to: 2 } },
      hooks: {
        beforeCommit: async (commit) => {
          if (!process.crashed) await this.held?.pass(commit, () => process.freeze())
        },
        afterCommit: async (commit, { outcome }) => this.held?.arrived(commit, outcome),
      },
    })
  }

  async stop(): Promise<void> {
    const [process, server] = [this.#process, this.#server]
    if (!process || !server || process.crashed) return
    if (process.frozen) return process.crash()
    const ended = Promise.withResolvers<void>()
    process.deliver(0, 'SIGTERM', () => {
      this.#collecting.abort(new Error('the server is shutting down'))
      void server.stop(stopMs).then(() => ended.resolve())
    })
    process.onCrash(() => ended.resolve())
    await this.#parts.settle(ended.promise)
    process.crash()
  }

  crash(): void {
    this.#process?.crash()
  }

  freeze(): void {
    if (this.isUp) this.#process?.freeze()
  }

  thaw(): void {
    this.held?.letGo()
    if (this.#isFrozen) this.#process?.thaw()
  }

  setLate(isLate: boolean): void {
    if (isLate) this.#watches.hold()
    else this.#watches.release()
  }
}

/** What kube-apiserver does not serve, or not by default. */
const ownApis = [
  'strata.dev/v1alpha1',
  'internal.apiserver.k8s.io/v1alpha1',
  'kube-apiserver.internal.k8s.io/v1alpha1',
  'apiservercoordination.k8s.io/v1alpha1',
]
