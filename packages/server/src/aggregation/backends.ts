import { type ApiService, type FoundAvailable, jsonEqual } from '@strata/api'
import { jitter, OutboundError, type Remote, sleep, type World } from '@strata/world'
import type { RemoteOpenApi } from '../discovery/index.ts'
import type { ServiceResolver } from '../services/index.ts'
import { type Backend, backendOf } from './backend.ts'
import { type CheckParts, checkBackend, hostOf } from './check-backend.ts'
import { countSilent, decideAvailable, decideCheckDelayMs, isSilent } from './decide-available.ts'
import { type Discovered, fetchDiscovery } from './fetch-discovery.ts'
import { type Described, fetchOpenApi, inherited } from './fetch-openapi.ts'
import { begin, type FoundBackend } from './found-backend.ts'
import { LongRequests } from './long-requests.ts'
import type { RemoteResource } from './remote-discovery.ts'
import { Slots } from './slots.ts'

export interface AggregationOptions {
  /** Reaches the backends, with the proxy client certificate. */
  readonly remote: Remote
  readonly resolveService: ServiceResolver
}

/** A backend that hangs holds its own check only, for a few seconds; so many may hang before others wait. */
const checksAtOnce = 32
/** Each may need the memory of its documents while it reads them. */
const descriptionsAtOnce = 16
const jitterFactor = 0.2

interface Followed {
  readonly backend: Backend
  readonly stop: AbortController
  /** The stored condition, until this server has checked the backend itself. */
  wasAvailable: boolean
  found: FoundAvailable | undefined
  /** The last check has not been written to the status yet. */
  isUnsaid: boolean
  /** Undefined while the backend is away. */
  discovered: Discovered | undefined
  /** Stays while the backend is away. */
  described: Described | undefined
  isBeingDescribed: boolean
  /** Requests that are passed on now, without watches. */
  inFlight: number
  readonly long: LongRequests
  /** Checks in a row that got no answer. */
  silentChecks: number
}

/**
 * The backends of APIServices. Each server checks all of them for itself, because what one server reaches another may not. A
 * server writes the status of an APIService at most once per check: servers that disagree do not outdo each other in writes.
 */
export class Backends {
  readonly #world: Pick<World, 'clock' | 'random' | 'log'>
  readonly #parts: CheckParts
  readonly #running: AbortSignal
  readonly #followed = new Map<string, Followed>()
  readonly #checks = new Slots(checksAtOnce)
  readonly #descriptions = new Slots(descriptionsAtOnce)
  /** Called after each check, with the name of the APIService. */
  onChecked: (name: string) => void = () => {}
  /** Called when a backend describes itself otherwise than before. */
  onDescribed: () => void = () => {}

  constructor(
    world: Pick<World, 'clock' | 'random' | 'log'>,
    options: AggregationOptions | undefined,
    running: AbortSignal,
  ) {
    this.#world = world
    this.#running = running
    const { remote = noRemote, resolveService = () => undefined } = options ?? {}
    this.#parts = { clock: world.clock, remote, resolveService }
  }

  /** Follows the backends of these APIServices, and no others. */
  follow(services: readonly ApiService[]): void {
    const wanted = new Map<string, ApiService>()
    for (const each of services) if (each.spec.service) wanted.set(each.metadata.name ?? '', each)
    for (const [name, { stop, long }] of this.#followed) {
      if (wanted.has(name)) continue
      this.#followed.delete(name)
      stop.abort(new Error('the APIService has gone'))
      // From now on no check tells whether their backend still answers.
      long.end('the APIService has gone')
    }
    for (const [name, service] of wanted) {
      const backend = backendOf(service)
      if (backend) this.#followOne(name, backend, isAvailable(service))
    }
  }

  #followOne(name: string, backend: Backend, wasAvailable: boolean): void {
    const before = this.#followed.get(name)
    if (before && jsonEqual({ ...before.backend }, { ...backend })) {
      before.wasAvailable = wasAvailable
      return
    }
    before?.stop.abort(new Error('the APIService has changed'))
    const stop = new AbortController()
    const followed: Followed = {
      ...{ backend, stop, wasAvailable, found: undefined, isUnsaid: false },
      ...{ discovered: undefined, isBeingDescribed: false, inFlight: 0, silentChecks: 0 },
      // Requests to the address before are held no longer than those to the new one.
      long: before?.long ?? new LongRequests(),
      // The version stays described while its server is replaced.
      described: before?.described && inherited(before.described),
    }
    this.#followed.set(name, followed)
    void this.#checkAgain(followed)
  }

  /** As upstream, requests are passed on only to a backend that was available when it was checked last. */
  find(name: string): FoundBackend | undefined {
    const followed = this.#followed.get(name)
    if (!followed) return undefined
    const { backend, found, wasAvailable } = followed
    return {
      backend,
      host: hostOf(backend.service).host,
      isAvailable: found ? found.status === 'True' : wasAvailable,
      originOf: () => this.#parts.resolveService(backend.service),
      send: this.#parts.remote,
      begin: () => begin(followed),
      beginLong: (signal) => followed.long.begin(signal),
    }
  }

  /** For discovery; the same list while it does not change. Undefined while the backend is away. */
  resourcesOf(name: string): readonly RemoteResource[] | undefined {
    return this.#followed.get(name)?.discovered?.resources
  }

  /** For OpenAPI; the same object while it does not change. Stays while the backend is away. */
  openApiOf(name: string): RemoteOpenApi | undefined {
    return this.#followed.get(name)?.described?.openApi
  }

  /** The result of the last check, if no status has been written since; undefined if there is nothing to write. */
  unsaidOf(name: string): FoundAvailable | undefined {
    const followed = this.#followed.get(name)
    return followed?.isUnsaid ? followed.found : undefined
  }

  said(name: string): void {
    const followed = this.#followed.get(name)
    if (followed) followed.isUnsaid = false
  }

  async #checkAgain(followed: Followed): Promise<void> {
    const { backend, stop } = followed
    const { clock, random, log } = this.#world
    const end = (): void => stop.abort(this.#running.reason)
    if (this.#running.aborted) return
    this.#running.addEventListener('abort', end, { once: true })
    try {
      for (let failures = 0; ; ) {
        await this.#check(followed)
        failures = followed.found?.status === 'True' ? 0 : failures + 1
        this.onChecked(backend.name)
        // Not awaited: the next check is due, however long the documents take.
        if (failures === 0) void this.#describe(followed)
        await sleep(clock, jitter(random, decideCheckDelayMs(failures), jitterFactor), stop.signal)
      }
    } catch (error) {
      if (!stop.signal.aborted)
        log.error('checking the backend of an APIService ended', {
          name: backend.name,
          error: String(error),
        })
    } finally {
      this.#running.removeEventListener('abort', end)
    }
  }

  async #check(followed: Followed): Promise<void> {
    const { backend, stop } = followed
    await this.#checks.run(async () => {
      stop.signal.throwIfAborted()
      const checked = await checkBackend(this.#parts, backend, stop.signal)
      const found = decideAvailable(backend.service, checked)
      const discovered =
        found.status === 'True'
          ? await fetchDiscovery(this.#parts, backend, followed.discovered, stop.signal)
          : undefined
      followed.discovered = keepSame(followed.discovered, discovered)
      const before = followed.found
      followed.found = found
      followed.isUnsaid = true
      if (before?.status !== found.status || before.reason !== found.reason) this.#log(backend, found)
      followed.silentChecks = countSilent(followed.silentChecks, checked)
      if (isSilent(followed.silentChecks)) this.#endLong(followed)
    })
  }

  #endLong({ backend, long }: Followed): void {
    const ended = long.end('the backend does not answer')
    if (ended === 0) return
    const fields = { name: backend.name, requests: ended }
    this.#world.log.warn('a backend does not answer; ended its long-running requests', fields)
  }

  async #describe(followed: Followed): Promise<void> {
    const { backend, stop, described: before } = followed
    if (followed.isBeingDescribed) return
    followed.isBeingDescribed = true
    try {
      await this.#descriptions.run(async () => {
        followed.described = await fetchOpenApi(this.#parts, backend, before, stop.signal)
      })
      if (before?.openApi !== followed.described?.openApi) this.onDescribed()
    } catch (error) {
      const { log } = this.#world
      if (!stop.signal.aborted)
        log.error('reading the OpenAPI documents of a backend failed', {
          name: backend.name,
          error: String(error),
        })
    } finally {
      followed.isBeingDescribed = false
    }
  }

  #log({ name }: Backend, { status, reason, message }: FoundAvailable): void {
    const { log } = this.#world
    const fields = { name, reason, message }
    if (status === 'True') log.info('the backend of an APIService is available', fields)
    else log.warn('the backend of an APIService is not available', fields)
  }
}

/** The same list of resources if nothing has changed: discovery makes its documents anew for another list. */
function keepSame(before: Discovered | undefined, now: Discovered | undefined): Discovered | undefined {
  if (!before || !now || JSON.stringify(before.resources) !== JSON.stringify(now.resources)) return now
  return { ...now, resources: before.resources }
}

const noRemote: Remote = () =>
  Promise.reject(new OutboundError('this server was started without a network for backends'))

function isAvailable({ status }: ApiService): boolean {
  return status?.conditions?.find(({ type }) => type === 'Available')?.status === 'True'
}
