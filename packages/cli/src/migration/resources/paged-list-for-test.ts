import type { ApiObject } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { type Clock, type HttpResponse, sleep, TransportError, utf8 } from '@strata/world'

/** A status code, 410 with a token to go on, or a connection that is cut before the answer. */
export type PageFailure = number | 'expired with a token' | 'reset'

/** A cluster with one list of objects. It answers each page with its failures first, in order. */
export class PagedList {
  readonly client: Client
  /** The page of each request, from 1. */
  readonly asked: number[] = []
  readonly #pages: readonly (readonly ApiObject[])[]
  readonly #failures: Map<number, PageFailure[]>

  constructor(
    clock: Clock,
    pages: readonly (readonly ApiObject[])[],
    failures: Readonly<Record<number, readonly PageFailure[]>>,
    { pageMs = 0, objects = {} }: PagedListOptions = {},
  ) {
    this.#pages = pages
    this.#failures = new Map(Object.entries(failures).map(([page, each]) => [Number(page), [...each]]))
    this.client = createClient({
      transport: async ({ target, signal }) => {
        const { pathname, searchParams } = new URL(target, 'http://fake')
        const single = objects[pathname]
        if (single !== undefined) return answer(200, single)
        await sleep(clock, pageMs, signal)
        return this.#answer(Number(searchParams.get('continue') ?? 1))
      },
    })
  }

  #answer(page: number): HttpResponse {
    this.asked.push(page)
    const failure = this.#failures.get(page)?.shift()
    if (failure === 'reset') throw new TransportError('reset', 'unknown')
    if (failure !== undefined) {
      const expired = failure === 'expired with a token'
      const code = expired ? 410 : failure
      const metadata = expired ? { continue: String(page) } : {}
      return answer(code, { kind: 'Status', apiVersion: 'v1', message: `answered ${code}`, code, metadata })
    }
    const items = this.#pages[page - 1] ?? []
    const metadata = page < this.#pages.length ? { continue: String(page + 1) } : {}
    return answer(200, { apiVersion: 'v1', kind: 'List', metadata, items })
  }
}

interface PagedListOptions {
  /** How long each answer takes. */
  readonly pageMs?: number
  /** Other objects, by path. */
  readonly objects?: Readonly<Record<string, object>>
}

const answer = (status: number, body: object): HttpResponse => ({
  ...{ status, headers: { 'content-type': 'application/json' }, body: utf8.encode(JSON.stringify(body)) },
})
