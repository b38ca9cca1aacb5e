import { ApiError, type ConfigMap, configMaps, jsonEqual } from '@strata/api'
import { abortable, type Clock, deadline, jitter, sleep } from '@strata/world'
import { objectKey, resourcePrefix } from '../codec/index.ts'
import { type ClientTrust, trustConfigMap } from '../delegation/index.ts'
import { create, get, type Registry, type ServedResource, systemWrite, update } from '../registry/index.ts'
import { decideTrustData } from './decide-trust-data.ts'

const attemptMs = 10_000
const againMs = 60_000
const retryMs = 1_000
const longestRetryMs = 30_000
const settleMs = 300

/**
 * Keeps the ConfigMap by which aggregated servers recognize the front proxies and users of this fleet. It is written at once,
 * and looked at every minute and whenever it changes. Every server does so; a write is sent only if something is missing. Ends
 * with the signal, and no one waits for it.
 */
export async function keepTrust(registry: Registry, own: ClientTrust, signal: AbortSignal): Promise<void> {
  const resource = registry.api.own('', 'v1', configMaps.plural)
  if (!resource) return
  const { clock, random, log } = registry.world
  const changes = new Changes(registry, resource)
  let failures = 0
  while (!signal.aborted) {
    try {
      await ensure(registry, resource, own, signal)
      failures = 0
      await changes.next(jitter(random, againMs, 0.1), signal)
      // All servers see a change: each waits for a random time, and usually one writes.
      await sleep(clock, jitter(random, settleMs, 0.9), signal)
    } catch (error) {
      if (signal.aborted) return
      // Another server was faster; its ConfigMap is read next.
      if (!isOvertaken(error)) {
        log.warn(`could not write ConfigMap ${trustConfigMap.name}; retrying`, { error: String(error) })
      }
      const waitMs = Math.min(longestRetryMs, retryMs * 2 ** failures++)
      await sleep(clock, jitter(random, isOvertaken(error) ? retryMs : waitMs, 0.5), signal).catch(() => {})
    }
  }
}

async function ensure(
  registry: Registry,
  resource: ServedResource,
  own: ClientTrust,
  parent: AbortSignal,
): Promise<void> {
  const { clock, log } = registry.world
  const { namespace, name } = trustConfigMap
  const limit = deadline(clock, attemptMs, parent)
  const { signal } = limit
  try {
    const stored = await look(registry, resource, signal)
    const { data, problem } = decideTrustData(stored ?? {}, own, clock.wallMs())
    if (stored && jsonEqual(stored.data ?? {}, data)) return
    if (problem !== undefined) log.warn(`replacing ConfigMap ${name}, which cannot be read`, { problem })
    if (stored) {
      const next: ConfigMap = { ...stored, data }
      await update(registry, resource, { namespace, name }, next, systemWrite, signal)
    } else {
      const made: ConfigMap = { metadata: { namespace, name }, data }
      await create(registry, resource, namespace, made, systemWrite, signal)
    }
  } finally {
    limit.dispose()
  }
}

/** With its resourceVersion: a write of a stale one is refused. */
async function look(
  registry: Registry,
  resource: ServedResource,
  signal: AbortSignal,
): Promise<ConfigMap | undefined> {
  try {
    const { value, revision } = await get(registry, resource, trustConfigMap, 'any', signal)
    const hub = resource.codec.decode(value).hub as ConfigMap
    hub.metadata.resourceVersion = String(revision)
    return hub
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return undefined
    throw error
  }
}

/** Another server, or an administrator, was faster; the cache will show it. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason)
}

/** Changes of the ConfigMap, as the watch cache shows them. */
class Changes {
  readonly #clock: Clock
  #isDue = false
  #wake: () => void = () => {}

  constructor({ cache, world }: Registry, { definition }: ServedResource) {
    this.#clock = world.clock
    const key = objectKey(definition, trustConfigMap.namespace, trustConfigMap.name)
    const collection = cache.collection(resourcePrefix(definition))
    const look = (): void => {
      this.#isDue = true
      this.#wake()
    }
    const subscribe = (): void => {
      collection.subscribe({ onEvent: look, onReset: subscribe }, key)
      look()
    }
    subscribe()
  }

  /** Resolves after a change since the last call, or after a while. */
  async next(longestMs: number, signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const limit = deadline(this.#clock, longestMs, signal)
    if (!this.#isDue) await abortable(woken, limit.signal).catch(() => {})
    limit.dispose()
    this.#isDue = false
    signal.throwIfAborted()
  }
}
