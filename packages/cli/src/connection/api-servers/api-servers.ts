import { type ApiObject, identityLabel, identityLabelValue, identityNamespace, leases } from '@strata/api'
import type { Client } from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { decideEndpoints, type EndpointSliceFields } from './decide-endpoints.ts'

/** An API server that is reached by itself, or one of several connections to one address. */
export interface NamedServer {
  readonly name: string
  readonly client: Client
}

/** The API servers that a command can ask one by one. */
export interface ApiServers {
  /** `servers`: the user named them. `endpoints`: the cluster names them. `samples`: connections through one address. */
  readonly kind: 'servers' | 'endpoints' | 'samples'
  readonly servers: readonly NamedServer[]
  /** Endpoints that were found and could not be asked, with the reason. */
  readonly unasked: readonly string[]
  /** How many identity Leases there are: more than endpoints, if the cluster does not name every server. */
  readonly leases?: number
}

export interface ApiServersOptions {
  readonly client: Client
  readonly context: Pick<CliContext, 'world'>
  /** Those without which no endpoint is asked. */
  readonly known: Pick<ApiServers, 'kind' | 'servers'>
  /** Connects to an endpoint; absent if endpoints must not be asked. */
  readonly reach?: (url: string) => { readonly client: Client; close(): void }
  /** Told once for each endpoint that cannot be asked. */
  readonly onUnasked?: (text: string) => void
}

const listEveryMs = 10_000
/** Each look at one that does not answer keeps a migration waiting for `oneServerMs`. */
const retryAfterMs = 300_000
/** An endpoint inside of the cluster's own network does not answer at all. */
const oneServerMs = 5_000
const lookMs = 10_000

type Reached = { readonly client: Client; close(): void }
type Endpoint = Reached | { readonly why: string; readonly untilMs: number }

/** Finds the API servers in the EndpointSlices of default/kubernetes. Where none answers, those that are known otherwise count. */
export class ApiServerFinder {
  readonly #options: ApiServersOptions
  readonly #endpoints = new Map<string, Endpoint>()
  #last: { readonly servers: ApiServers; readonly atMs: number } | undefined
  #look: Promise<ApiServers | undefined> | undefined

  constructor(options: ApiServersOptions) {
    this.#options = options
  }

  /** As they were found last. */
  get last(): ApiServers {
    return this.#last?.servers ?? { ...this.#options.known, unasked: [] }
  }

  /** Finds them, unless that was done a moment ago. Never throws for what a cluster does not offer. */
  async find(signal: AbortSignal): Promise<ApiServers> {
    const { clock } = this.#options.context.world
    const isFresh = this.#last !== undefined && clock.monotonicMs() - this.#last.atMs < listEveryMs
    if (isFresh || this.#options.reach === undefined) return this.last
    for (;;) {
      this.#look ??= this.#find(signal).finally(() => {
        this.#look = undefined
      })
      const servers = await this.#look
      signal.throwIfAborted()
      // The one who began the look has given up: that says nothing about the servers.
      if (servers === undefined) continue
      this.#last = { servers, atMs: clock.monotonicMs() }
      return servers
    }
  }

  close(): void {
    for (const each of this.#endpoints.values()) if ('client' in each) each.close()
    this.#endpoints.clear()
  }

  /** Undefined if it was given up. */
  async #find(signal: AbortSignal): Promise<ApiServers | undefined> {
    const { known, client } = this.#options
    const urls = decideEndpoints(await this.#limited(signal, (each) => listSlices(client, each), []))
    if (signal.aborted) return undefined
    if (urls.length === 0) return { ...known, unasked: [] }
    for (const [url, each] of this.#endpoints) {
      if (urls.includes(url)) continue
      if ('client' in each) each.close()
      this.#endpoints.delete(url)
    }
    const [count] = await Promise.all([
      this.#limited(signal, (each) => countLeases(client, each), undefined),
      ...urls.map((url) => this.#ask(url, signal)),
    ])
    if (signal.aborted) return undefined
    const found = urls.map((url) => [url, this.#endpoints.get(url)] as const)
    const servers = found.flatMap(([name, each]) =>
      each && 'client' in each ? { name, client: each.client } : [],
    )
    const unasked = found.flatMap(([url, each]) => (each && 'why' in each ? [`${url}: ${each.why}`] : []))
    const leases = count === undefined || count === 0 ? {} : { leases: count }
    return servers.length === 0
      ? { ...known, unasked, ...leases }
      : { kind: 'endpoints', servers, unasked, ...leases }
  }

  /** Asks for the release: a server that does not answer that is not asked for anything else. */
  async #ask(url: string, signal: AbortSignal): Promise<void> {
    const { reach, context, onUnasked } = this.#options
    const { clock } = context.world
    const before = this.#endpoints.get(url)
    if (reach === undefined || (before && 'why' in before && clock.monotonicMs() < before.untilMs)) return
    const reached = before && 'client' in before ? before : reach(url)
    const limit = deadline(clock, oneServerMs, signal)
    try {
      await reached.client.version(limit.signal)
      this.#endpoints.set(url, reached)
    } catch (error) {
      if (signal.aborted) {
        if (reached !== before) reached.close()
        return
      }
      reached.close()
      const why = error instanceof Error ? error.message : String(error)
      if (before === undefined || 'client' in before)
        onUnasked?.(`the API server ${url} cannot be asked: ${why}`)
      this.#endpoints.set(url, { why, untilMs: clock.monotonicMs() + retryAfterMs })
    } finally {
      limit.dispose()
    }
  }

  async #limited<T>(
    signal: AbortSignal,
    look: (signal: AbortSignal) => Promise<T>,
    otherwise: T,
  ): Promise<T> {
    const limit = deadline(this.#options.context.world.clock, lookMs, signal)
    try {
      return await look(limit.signal)
    } catch {
      // Without the right, or the kind: the cluster offers less, and the answer claims less.
      return otherwise
    } finally {
      limit.dispose()
    }
  }
}

async function listSlices(client: Client, signal: AbortSignal): Promise<readonly EndpointSliceFields[]> {
  const address = { group: 'discovery.k8s.io', versionName: 'v1', resource: 'endpointslices' }
  const options = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' }
  const { items } = await client.resource<ApiObject & EndpointSliceFields>(address).list(options, signal)
  return items
}

/** How many API servers have an identity Lease. One that is gone keeps it for a while. */
export async function countLeases(client: Client, signal: AbortSignal): Promise<number> {
  const labelSelector = `${identityLabel}=${identityLabelValue}`
  const { items } = await client
    .resource(leases, 'v1')
    .list({ namespace: identityNamespace, labelSelector }, signal)
  return items.length
}
