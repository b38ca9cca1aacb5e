import { ApiError, conflict, methodNotAllowed, notFound, notFoundPath, type Status } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'

interface StoredObject {
  namespace: string
  name: string
  resourceVersion: number
  encoding: string
}

/** Intercepts a request, by default before it is carried out: an answer, an error, or nothing. */
export type Fault = (request: {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>> | undefined
}) => ApiError | Error | undefined | Promise<ApiError | Error | undefined>

/** How it says in what things are stored. */
export type Published = 'definition' | 'storageversion' | 'hash' | 'nothing'

const group = 'example.dev'
const base = `/apis/${group}/v2`

/** A cluster that is not ours, with one resource: it re-encodes what is stale when it is written, as Kubernetes does. */
export class FakeCluster {
  readonly objects = new Map<string, StoredObject>()
  readonly asked: string[] = []
  readonly client: Client
  /** The version that a write stores now. */
  encoding = 'v2'
  generation = 2
  storageVersionRevision = 1
  fault: Fault = () => undefined
  /** The same after it was carried out: the client does not get the answer. */
  after: Fault = () => undefined
  /** Lists older than this are gone. */
  compactedBefore = 0
  readonly resource: { readonly group: string; readonly resource: string }
  readonly #published: Published
  readonly #namespaced: boolean
  #revision = 100

  constructor(published: Published = 'definition', { namespaced = true } = {}) {
    this.#published = published
    this.#namespaced = namespaced
    this.resource = { group, resource: namespaced ? 'things' : 'nodes' }
    this.client = createClient({ transport: (request) => this.#answer(request) })
  }

  fill(count: number, encoding = 'v1', from = 0): void {
    for (let index = from; index < from + count; index++) {
      const name = `o-${String(index).padStart(5, '0')}`
      this.put(name, encoding)
    }
  }

  put(name: string, encoding = this.encoding): void {
    const namespace = this.#namespaced ? 'default' : ''
    this.#revision++
    this.objects.set(`${namespace}/${name}`, { namespace, name, resourceVersion: this.#revision, encoding })
  }

  remove(name: string): void {
    this.objects.delete(`${this.#namespaced ? 'default' : ''}/${name}`)
  }

  countIn(encoding: string): number {
    return [...this.objects.values()].filter((each) => each.encoding === encoding).length
  }

  count(method: string): number {
    return this.asked.filter((each) => each.startsWith(`${method} `)).length
  }

  async #answer({ method, target, body }: HttpRequest): Promise<HttpResponse> {
    const [path = '', search = ''] = target.split('?')
    const query = new URLSearchParams(search)
    const sent = body === undefined ? undefined : JSON.parse(utf8.decode(body))
    this.asked.push(`${method} ${target}`)
    try {
      const fault = await this.fault({ method, path, query, body: sent })
      if (fault) throw fault
      const served = this.#serve(method, path, query, sent)
      const lost = await this.after({ method, path, query, body: sent })
      if (lost) throw lost
      return json(200, served)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return json(error.code, error.status)
    }
  }

  #serve(method: string, path: string, query: URLSearchParams, body: StoredBody | undefined): unknown {
    const { resource } = this.resource
    if (path === '/api') return { kind: 'APIVersions', versions: [] }
    if (path === '/apis') {
      return { kind: 'APIGroupList', groups: [{ name: group, versions: [{ version: 'v2' }] }] }
    }
    if (path === base) {
      const storageVersionHash = this.#published === 'hash' ? `hash-of-${this.encoding}` : undefined
      const verbs = ['get', 'list', 'patch', 'update']
      return {
        resources: [
          { name: resource, kind: 'Thing', namespaced: this.#namespaced, verbs, storageVersionHash },
        ],
      }
    }
    if (path.includes('customresourcedefinitions') && this.#published === 'definition')
      return this.#definition()
    if (path.includes('storageversions') && this.#published === 'storageversion')
      return this.#storageVersion()
    if (path.includes('leases') && this.#published === 'storageversion') {
      return { metadata: {}, items: [{ metadata: { name: 'apiserver-a' } }] }
    }
    if (path === `${base}/${resource}`) return this.#list(query)
    const [, namespace = '', name = ''] =
      new RegExp(`^${base}/(?:namespaces/([^/]+)/)?${resource}/([^/]+)(?:/status)?$`).exec(path) ?? []
    if (name === '') throw notFoundPath()
    return this.#object(method, `${namespace}/${name}`, name, body)
  }

  #definition(): unknown {
    return {
      metadata: { name: `${this.resource.resource}.${group}`, uid: 'u', generation: this.generation },
      spec: { versions: ['v1', 'v2'].map((name) => ({ name, storage: name === this.encoding })) },
      status: { conditions: [{ type: 'Established', status: 'True' }] },
    }
  }

  #storageVersion(): unknown {
    const encodingVersion = `${group}/${this.encoding}`
    return {
      metadata: {
        name: `${group}.${this.resource.resource}`,
        resourceVersion: String(this.storageVersionRevision),
      },
      spec: {},
      status: {
        commonEncodingVersion: encodingVersion,
        storageVersions: [{ apiServerID: 'apiserver-a', encodingVersion, decodableVersions: [] }],
      },
    }
  }

  #list(query: URLSearchParams): unknown {
    const limit = Number(query.get('limit'))
    const [revision = String(this.#revision), after = ''] = (query.get('continue') ?? '')
      .split(':')
      .filter(Boolean)
    if (revision !== '-1' && Number(revision) < this.compactedBefore) {
      throw new ApiError(410, 'Expired', 'too old', undefined, after === '' ? undefined : `-1:${after}`)
    }
    const left = [...this.objects.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([key]) => key > after)
    const page = left.slice(0, limit)
    const remaining = left.length - page.length
    const more = { continue: `${revision}:${page.at(-1)?.[0]}`, remainingItemCount: remaining }
    return { metadata: remaining > 0 ? more : {}, items: page.map(([, each]) => shown(each)) }
  }

  #object(method: string, key: string, name: string, body: StoredBody | undefined): unknown {
    const stored = this.objects.get(key)
    if (!stored) throw notFound(this.resource, name)
    if (method === 'GET') return shown(stored)
    if (method !== 'PATCH' && method !== 'PUT') throw methodNotAllowed()
    const wanted = body?.metadata?.resourceVersion
    if (wanted !== undefined && wanted !== String(stored.resourceVersion))
      throw conflict(this.resource, name, 'modified')
    if (stored.encoding !== this.encoding) {
      this.#revision++
      stored.encoding = this.encoding
      stored.resourceVersion = this.#revision
    }
    return shown(stored)
  }
}

interface StoredBody {
  readonly metadata?: { readonly resourceVersion?: string }
}

function shown({ namespace, name, resourceVersion }: StoredObject): unknown {
  return {
    metadata: { ...(namespace === '' ? {} : { namespace }), name, resourceVersion: String(resourceVersion) },
  }
}

function json(status: number, body: unknown | Status): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: utf8.encode(JSON.stringify(body)) }
}
