import { AsyncLocalStorage } from 'node:async_hooks'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { type HttpResponse, sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { adminToken, createFleetServer } from '../../support/fleet.ts'
import { reader, readerToken } from './rights.ts'

/** A request as plain JSON. Each character of the body is a byte. */
export interface FuzzRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The user of the token: `admin`, `reader`, or anything else for none. */
  readonly as: string
}

export interface FuzzAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** A watch that was left: what came until then. */
  readonly isCut: boolean
  /** Keys that the request itself has written, and keys of clients' objects that anyone wrote while it ran. */
  readonly written: readonly string[]
}

/** Watches are left after this much simulated time. */
const watchMs = 300
/** The server writes these by itself, at any time. */
const serversOwn =
  /^\/registry\/(?:leases|events|namespaces|apiregistration\.k8s\.io|apiextensions\.k8s\.io|internal\.apiserver\.k8s\.io|strata\.dev|apiserver\.coordination\.k8s\.io)\//

/** With a CRD, the server deletes its instances, some time after the request. */
const isClients = ({ key, kind }: { readonly key: string; readonly kind: 'put' | 'delete' }): boolean =>
  !serversOwn.test(key) && (kind === 'put' || !/^\/registry\/[^/]+\.dev\//.test(key))

/** As they come from the HTTP parser. */
const lowerCase = (headers: FuzzRequest['headers']): FuzzRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const tokens = new Map([
  ['admin', adminToken],
  ['reader', readerToken],
])

function authorizationOf(as: string): { readonly authorization?: string } {
  const token = tokens.get(as)
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** One server with RBAC over a store in memory, which tells what a request has written. */
export class FuzzServer {
  readonly data = new MemoryData()
  readonly #simulation = new Simulation('fuzz')
  readonly #stopped = new AbortController()
  readonly #server
  readonly #clock
  /** Tells the writes of a request from those that controllers do meanwhile. */
  readonly #current = new AsyncLocalStorage<FuzzRequest>()
  #request: FuzzRequest | undefined
  #written: string[] = []

  private constructor() {
    const world = this.#simulation.process('a')
    this.#clock = world.clock
    this.#server = createFleetServer({
      world,
      store: this.#noting(createMemoryStore(this.data)),
      ...{ instance: 'a', release: 'x+1', authorizationModes: ['RBAC'], bootstrapPolicy: true },
      users: new Map([[readerToken, reader]]),
    })
  }

  static async start(): Promise<FuzzServer> {
    const made = new FuzzServer()
    await made.#simulation.settle(made.#server.start(made.#stopped.signal))
    return made
  }

  send(request: FuzzRequest): Promise<FuzzAnswer> {
    this.#written = []
    this.#request = request
    return this.#simulation.settle(this.#current.run(request, () => this.#answer(request)))
  }

  /** Lets simulated time pass, for what the server does by itself. */
  async wait(ms: number): Promise<void> {
    await this.#simulation.run({ untilMs: this.#simulation.nowMs + ms })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.wait(1_000)
  }

  #noting(store: Store): Store {
    return {
      ...store,
      commit: async (change, signal) => {
        const outcome = await store.commit(change, signal)
        if (outcome.outcome === 'committed')
          this.#written.push(
            ...change.writes.filter((write) => this.#isOwn() || isClients(write)).map(({ key }) => key),
          )
        return outcome
      },
    }
  }

  #isOwn(): boolean {
    const current = this.#current.getStore()
    return current !== undefined && current === this.#request
  }

  async #answer({ method, target, headers, body, as }: FuzzRequest): Promise<FuzzAnswer> {
    const gone = new AbortController()
    const response = await this.#server.handle({
      ...{ method, target, signal: gone.signal },
      headers: { ...lowerCase(headers), ...authorizationOf(as) },
      ...(body === '' ? {} : { body: Buffer.from(body, 'latin1') }),
    })
    const { text, isCut } = await this.#read(response, gone)
    const contentType = String(response.headers['content-type'] ?? '')
    return { status: response.status, contentType, text, isCut, written: this.#written }
  }

  async #read({ body }: HttpResponse, gone: AbortController) {
    if (body instanceof Uint8Array) return { text: Buffer.from(body).toString('utf8'), isCut: false }
    const chunks: Uint8Array[] = []
    const readAll = async (): Promise<'ended'> => {
      for await (const chunk of body) chunks.push(chunk)
      return 'ended'
    }
    const reading = readAll()
    const end = await Promise.race([
      reading,
      sleep(this.#clock, watchMs, gone.signal).then(() => 'late' as const),
    ])
    gone.abort()
    if (end === 'late') await reading.catch(() => {})
    return { text: Buffer.concat(chunks).toString('utf8'), isCut: end === 'late' }
  }
}
