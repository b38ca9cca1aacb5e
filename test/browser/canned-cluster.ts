import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import type { ApiObject } from '@strata/api'
import { unpackAssets } from '@strata/cli/dashboard-assets'
import { builtDashboard } from '../../tools/dashboard/built-dashboard.ts'

/** What a cluster serves: by path below `/apis/`, `strata.dev/v1alpha1/storageagreements`. */
export type CannedObjects = Readonly<Record<string, readonly ApiObject[]>>

/** What a review answers, by the same path: its status for its spec. */
export type CannedReviews = Readonly<Record<string, (spec: Record<string, unknown>) => object>>

const withoutNamespace = (path: string): string => path.replace(/namespaces\/[^/]+\//, '')

interface OpenWatch {
  readonly id: string
  readonly path: string
  readonly response: ServerResponse
}

/** The page of the dashboard before a gateway whose cluster has just these objects. Time and chance play no part. */
export class CannedCluster {
  objects: CannedObjects
  /** The specs of reviews that were asked for. */
  readonly asked: Record<string, unknown>[] = []
  readonly #reviews: CannedReviews
  readonly #server: Server
  readonly #watches = new Set<OpenWatch>()

  private constructor(objects: CannedObjects, reviews: CannedReviews) {
    this.objects = objects
    this.#reviews = reviews
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(objects: CannedObjects, reviews: CannedReviews = {}): Promise<CannedCluster> {
    const cluster = new CannedCluster(objects, reviews)
    await new Promise<void>((resolve) => cluster.#server.listen(0, '127.0.0.1', resolve))
    return cluster
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/dashboard/`
  }

  /** Sends the object to every watch of its resource. */
  change(resource: string, object: ApiObject, type: 'MODIFIED' | 'DELETED' = 'MODIFIED'): void {
    for (const { id, path, response } of this.#watches)
      if (withoutNamespace(path).startsWith(`/apis/${resource}?`))
        response.write(`${JSON.stringify({ id, event: { type, object } })}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = request
    const [path = ''] = url.split('?')
    const answer = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (path === '/dashboard/session')
      return answer({
        kind: 'gateway',
        signedIn: true,
        user: 'reader',
        cluster: 'canned',
        allowWrites: false,
      })
    if (path === '/dashboard/watches') return this.#watch(request, response)
    if (path.startsWith('/dashboard')) {
      const assets = unpackAssets((await builtDashboard()).assets)
      const asset = assets.get(path.slice('/dashboard/'.length)) ?? assets.get('index.html')
      response.writeHead(200, { 'content-type': asset?.type }).end(asset?.identity)
      return
    }
    if (path === '/rehearsals') return answer({ rehearsals: [] })
    if (path === '/api' || path === '/apis') return answer(this.#discovery(path))
    // Events of a record.
    if (path.startsWith('/api/v1/')) return answer({ metadata: { resourceVersion: '1' }, items: [] })
    const resource = withoutNamespace(path).replace(/^\/apis\//, '')
    const review = this.#reviews[resource]
    if (review && request.method === 'POST') {
      const { spec } = (await readJson(request)) as { spec: Record<string, unknown> }
      this.asked.push(spec)
      return answer({ metadata: {}, spec, status: review(spec) }, 201)
    }
    const items = this.objects[resource]
    return items
      ? answer({ metadata: { resourceVersion: '1' }, items })
      : answer({ kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', message: path }, 404)
  }

  async #watch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { watches } = (await readJson(request)) as { watches: { id: string; path: string }[] }
    const open = watches.map(({ id, path }) => ({ id, path, response }))
    for (const each of open) this.#watches.add(each)
    response.on('close', () => {
      for (const each of open) this.#watches.delete(each)
    })
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
  }

  #discovery(path: string): object {
    const served = path === '/apis' ? { ...this.objects, ...this.#reviews } : {}
    const items = Object.keys(served).map((each) => {
      const [name = '', version = '', resource = ''] = each.split('/')
      const kind = { resource, responseKind: { kind: resource }, scope: 'Cluster', verbs: ['list', 'watch'] }
      return { metadata: { name }, versions: [{ version, resources: [kind] }] }
    })
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }
  }
}
