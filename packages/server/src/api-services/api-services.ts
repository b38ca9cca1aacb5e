import {
  ApiError,
  type ApiService,
  apiregistrationGroup,
  apiServices as apiServiceKind,
  apiServiceName,
  apiVersionOf,
  cloneJson,
  isKind,
  withAvailable,
} from '@strata/api'
import { deadline, jitter, severalAtOnce, sleep, timestamp } from '@strata/world'
import type { Backends } from '../aggregation/index.ts'
import { resourcePrefix } from '../codec/index.ts'
import type { RegisteredVersion } from '../discovery/index.ts'
import { create, type Registry, remove, type ServedResource, systemWrite, update } from '../registry/index.ts'
import type { Entry } from '../store/index.ts'
import type { CacheEvent } from '../watch-cache/index.ts'
import {
  decideRegistrations,
  isAutomanaged,
  type LocalVersion,
  type Registration,
} from './decide-registrations.ts'

/** CRDs come and go in hundreds. Their versions are reconciled once for all of them. */
const settleMs = 500
const attemptMs = 30_000
const writesAtOnce = 16

/**
 * Keeps an APIService for every group version that is served here, writes the availability of those that clients created, and
 * adds them to discovery. Every server does so for all. Each waits for a random time first, so that usually one server writes
 * and the others find it done.
 */
export class ApiServices {
  readonly #registry: Registry
  readonly #backends: Backends
  readonly #resource: ServedResource | undefined
  readonly #decoded = new WeakMap<Uint8Array, ApiService>()
  /** The names of the APIServices in discovery. */
  #published: ReadonlySet<string> = new Set()
  #isDue = false
  /** The next pass also writes the APIServices of built-in versions, because their set has changed. */
  #isWhole = false
  #wake: (() => void) | undefined

  constructor(registry: Registry, backends: Backends) {
    this.#registry = registry
    this.#backends = backends
    backends.onChecked = (name) => this.#onChecked(name)
    backends.onDescribed = () => this.#publish()
    const { group, plural } = apiServiceKind
    this.#resource = registry.api.own(group, 'v1', plural)
    this.#follow()
  }

  #follow(): void {
    const collection = this.#collection()
    if (!collection) return
    const subscribe = (): void => {
      this.#publish()
      this.look()
      collection.subscribe({
        onEvent: (event) => {
          if (this.#isOfPeople(event)) this.#publish()
          this.look()
        },
        onReset: subscribe,
      })
    }
    subscribe()
  }

  /** Whether a client owns the APIService. The automanaged ones come and go with CRDs, and do not affect discovery. */
  #isOfPeople({ kind, key, value, revision }: CacheEvent): boolean {
    const resource = this.#resource
    const name = key.slice(key.lastIndexOf('/') + 1)
    if (kind === 'deleted' || !resource || this.#published.has(name)) return this.#published.has(name)
    const service = this.#decode(resource, { key, value, revision })
    return service !== undefined && !isAutomanaged(service)
  }

  /** A backend has been checked. Mostly the status says so already, and nothing is written. */
  #onChecked(name: string): void {
    this.#publish()
    const found = this.#backends.unsaidOf(name)
    const service = this.#current().get(name)
    const { status = {} } = service ?? {}
    if (found && service && withAvailable(status, found, '') !== status) this.look()
  }

  /** An APIService may need to be written. */
  look(): void {
    this.#isDue = true
    this.#wake?.()
  }

  /** The set of served built-in resources has changed since the start. */
  lookAtAll(): void {
    this.#isWhole = true
    this.look()
  }

  /** Resolves when every served version has its APIService, or when a retry cannot help. */
  async register(signal: AbortSignal): Promise<void> {
    while (!(await this.#pass(true, signal))) await this.#pause(signal)
  }

  async run(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#wake?.()
    signal.addEventListener('abort', onAbort, { once: true })
    while (!signal.aborted) {
      if (!this.#isDue) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      await this.#pause(signal).catch(() => {})
      if (signal.aborted) break
      const isWhole = this.#isWhole
      this.#isDue = false
      this.#isWhole = false
      if (await this.#pass(isWhole, signal)) continue
      this.#isDue = true
      this.#isWhole ||= isWhole
    }
    signal.removeEventListener('abort', onAbort)
  }

  #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#registry.world
    return sleep(clock, jitter(random, settleMs, 0.9), signal)
  }

  /** False if a retry is needed. */
  async #pass(isStart: boolean, signal: AbortSignal): Promise<boolean> {
    const { world, cache } = this.#registry
    const limit = deadline(world.clock, attemptMs, signal)
    try {
      // After it, every CRD and APIService that was written before is known, through any server.
      await cache.barrier.pass(limit.signal)
      const decided = decideRegistrations({
        local: this.#localVersions(),
        current: this.#current(),
        isStart,
        now: timestamp(world.clock),
        foundOf: (name) => this.#backends.unsaidOf(name),
      })
      let isDone = true
      await severalAtOnce(writesAtOnce, decided, async (each) => {
        if (!(await this.#carryOut(each, limit.signal))) isDone = false
      })
      return isDone
    } catch (error) {
      if (!signal.aborted)
        world.log.warn('reconciling APIServices failed; retrying', { error: String(error) })
      return false
    } finally {
      limit.dispose()
    }
  }

  async #carryOut(registration: Registration, signal: AbortSignal): Promise<boolean> {
    const resource = this.#resource
    if (!resource) return true
    const { object } = registration
    const target = { namespace: '', name: object.metadata.name ?? '' }
    try {
      if (registration.do === 'create') {
        await create(this.#registry, resource, '', cloneJson(object), systemWrite, signal)
      } else if (registration.do === 'update') {
        await update(this.#registry, resource, target, cloneJson(object), systemWrite, signal)
      } else if (registration.do === 'say') {
        const next = { ...cloneJson(object), status: registration.status }
        const options = { ...systemWrite, subresource: 'status' as const }
        await update(this.#registry, resource, target, next, options, signal)
        this.#backends.said(target.name)
      } else {
        const { uid = '', resourceVersion = '' } = object.metadata
        await remove(
          this.#registry,
          resource,
          target,
          { dryRun: false, preconditions: { uid, resourceVersion } },
          signal,
        )
      }
      return true
    } catch (error) {
      // Another server was faster: the watch brings its result, and it is checked again.
      if (error instanceof ApiError && (error.code === 409 || error.code === 404)) return true
      if (!signal.aborted) {
        const { log } = this.#registry.world
        log.warn('cannot write an APIService', { name: target.name, error: String(error) })
      }
      return error instanceof ApiError && error.code < 500 && error.code !== 429
    }
  }

  #localVersions(): readonly LocalVersion[] {
    const found = new Map<string, LocalVersion>()
    const { api } = this.#registry
    for (const { group, versionName } of api.resources) {
      const apiVersion = apiVersionOf(group, versionName)
      // Upstream has no APIService for its own group, which is always served.
      if (group === apiregistrationGroup || found.has(apiVersion)) continue
      found.set(apiVersion, { group, versionName, isCustom: !api.isOwn(group, versionName) })
    }
    return [...found.values()]
  }

  #current(): ReadonlyMap<string, ApiService> {
    return new Map(this.#entries().map((each) => [each.metadata.name ?? '', each]))
  }

  #publish(): void {
    const { api } = this.#registry
    const services = this.#entries()
    // Versions that are built in are served here, whatever their APIServices say.
    const ofPeople = services.filter(
      (each) => !isAutomanaged(each) && !api.isOwn(each.spec.group ?? '', each.spec.version ?? ''),
    )
    this.#backends.follow(ofPeople)
    const registered = ofPeople.map((service): RegisteredVersion => {
      const { group = '', version: versionName = '' } = service.spec
      const { groupPriorityMinimum: groupPriority, versionPriority } = service.spec
      const isRemote = service.spec.service !== undefined
      const name = service.metadata.name ?? ''
      const remote = isRemote
        ? { resources: this.#backends.resourcesOf(name), openApi: this.#backends.openApiOf(name) }
        : {}
      return { group, versionName, groupPriority, versionPriority, isRemote, ...remote }
    })
    this.#published = new Set(registered.map(({ group, versionName }) => apiServiceName(group, versionName)))
    if (!isSameList(registered, api.registered)) api.setRegistered(registered)
  }

  #entries(): readonly ApiService[] {
    const collection = this.#collection()
    const resource = this.#resource
    if (!collection || !resource) return []
    const all = collection.range(resourcePrefix(resource.definition))
    return Array.from({ length: all.count }, (_, index) => all.at(index)).flatMap((entry) => {
      const service = this.#decode(resource, entry)
      return service ? [service] : []
    })
  }

  /** Undefined if it cannot be decoded: it stays as it is. */
  #decode(
    { codec }: ServedResource,
    { key, value, revision }: Pick<Entry, 'key' | 'value' | 'revision'>,
  ): ApiService | undefined {
    const known = this.#decoded.get(value)
    if (known) return known
    try {
      const service = codec.decode(value).hub as ApiService
      service.metadata.resourceVersion = String(revision)
      this.#decoded.set(value, service)
      return service
    } catch (error) {
      this.#registry.world.log.warn('cannot read an APIService', { key, error: String(error) })
      return undefined
    }
  }

  #collection() {
    const { cache } = this.#registry
    const resource = this.#resource
    if (!resource || !isKind(resource.definition, apiServiceKind)) return undefined
    return cache.collection(resourcePrefix(resource.definition))
  }
}

function isSameList(one: readonly RegisteredVersion[], other: readonly RegisteredVersion[]): boolean {
  const textOf = ({ resources: _, openApi: __, ...rest }: RegisteredVersion): string => JSON.stringify(rest)
  return (
    one.length === other.length &&
    one.every((each, index) => {
      const before = other[index]
      const isSame = before?.resources === each.resources && before?.openApi === each.openApi
      return before && isSame && textOf(before) === textOf(each)
    })
  )
}
