import type { ApiObject, CustomResourceDefinition } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { type HttpResponse, utf8 } from '@strata/world'

interface LampsOptions {
  /** What the CRD is after a write. */
  readonly wanted: CustomResourceDefinition
  readonly onDryRun: (lamps: LampsForTest) => void
  /** Before each list of metadata is answered. */
  readonly onList: (lamps: LampsForTest) => void
}

/** A cluster with one CRD and its objects, which others write at given moments. */
export class LampsForTest {
  readonly client: Client
  /** How many lists of metadata were asked for, before the file was applied and with more than one object. */
  lists = 0
  isApplied = false
  readonly #live: CustomResourceDefinition
  readonly #options: LampsOptions
  readonly #objects = new Map<string, ApiObject>()
  #revision = 1

  constructor(live: CustomResourceDefinition, options: LampsOptions) {
    this.#live = live
    this.#options = options
    this.client = createClient({
      transport: async ({ method, target, headers }) => {
        const { pathname, searchParams } = new URL(target, 'http://fake')
        if (pathname.includes('/customresourcedefinitions/')) return this.#define(method, searchParams)
        const name = pathname.split('/lamps/')[1]
        if (name !== undefined) return this.#one(name)
        const isMetadata = JSON.stringify(headers).includes('PartialObjectMetadata')
        if (isMetadata && searchParams.get('limit') !== '1' && !this.isApplied) {
          this.lists++
          this.#options.onList(this)
        }
        return answer(200, { metadata: {}, items: [...this.#objects.values()] })
      },
    })
  }

  put(name: string, spec: object): void {
    const { uid = `uid of ${name}` } = this.#objects.get(name)?.metadata ?? {}
    const metadata = { name, namespace: 'default', uid, resourceVersion: String(++this.#revision) }
    const head = { apiVersion: 'light.example.dev/v1', kind: 'Lamp' }
    this.#objects.set(name, { ...head, metadata, spec } as ApiObject)
  }

  drop(name: string): void {
    this.#objects.delete(name)
  }

  #one(name: string): HttpResponse {
    const found = this.#objects.get(name)
    return found === undefined ? answer(404, notFound(name)) : answer(200, found)
  }

  #define(method: string, parameters: URLSearchParams): HttpResponse {
    const { wanted, onDryRun } = this.#options
    const written = { ...this.#live, spec: wanted.spec }
    if (method === 'GET') return answer(200, this.isApplied ? written : this.#live)
    if (parameters.has('dryRun')) onDryRun(this)
    else this.isApplied = true
    return answer(200, written)
  }
}

const notFound = (name: string): object => ({
  ...{
    kind: 'Status',
    apiVersion: 'v1',
    code: 404,
    reason: 'NotFound',
    message: `lamps "${name}" not found`,
  },
  details: { name, group: 'light.example.dev', kind: 'lamps' },
})

const answer = (status: number, body: object): HttpResponse => ({
  ...{ status, headers: { 'content-type': 'application/json' }, body: utf8.encode(JSON.stringify(body)) },
})
