import { ApiError, type Event } from '@strata/api'
import { deadline, jitter, sleep } from '@strata/world'
import { resourcePrefix } from '../../codec/index.ts'
import type { Entry, Key, Revision } from '../../store/index.ts'
import { collectionOf, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { remove } from '../write/delete-object.ts'
import { lastWriteMs } from './event-age.ts'

/** Removals per pass. The next pass takes the others, so that requests are served in between. */
const removalsPerPass = 500
/** Events decoded before other work gets a turn. */
const decodedAtOnce = 200
const removalMs = 10_000

interface Seen {
  readonly revision: Revision
  /** On the monotonic clock. */
  readonly dueMs: number
}

/**
 * Removes events one time-to-live after they were last written. Upstream's store does that by leases; not all of our stores have
 * them, so the servers do it. Every server tries, without a leader: a removal is guarded by the revision that has expired, so the
 * second server finds nothing to remove.
 *
 * Age is counted on the monotonic clock from when this server saw the revision, so a wall clock that jumps expires nothing early.
 * Only for events that exist at the start does the server use the times in them.
 */
export async function expireEvents(registry: Registry, ttlMs: number, signal: AbortSignal): Promise<void> {
  const resource = registry.api.own('', 'v1', 'events')
  if (!resource) return
  const { clock, random, log } = registry.world
  const pauseMs = Math.min(60_000, Math.max(1_000, ttlMs / 20))
  let seen: ReadonlyMap<Key, Seen> | undefined
  while (!signal.aborted) {
    try {
      seen = await findDue(registry, resource, ttlMs, seen, signal)
      const nowMs = clock.monotonicMs()
      const due = [...seen].filter(([, { dueMs }]) => dueMs <= nowMs).slice(0, removalsPerPass)
      for (const [key, { revision }] of due) await removeAt(registry, resource, key, revision, signal)
      if (due.length > 0) log.info('removed expired events', { count: due.length })
    } catch (error) {
      if (!signal.aborted) log.warn('removal of expired events failed; retrying', { error: String(error) })
    }
    // Jitter: the first server spares the others the work.
    await sleep(clock, jitter(random, pauseMs, 0.5), signal).catch(() => {})
  }
}

/** When each event is due. Known events keep their time. A new one is young, except at the start of this server. */
async function findDue(
  registry: Registry,
  resource: ServedResource,
  ttlMs: number,
  before: ReadonlyMap<Key, Seen> | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<Key, Seen>> {
  const { clock } = registry.world
  const range = collectionOf(registry, resource).range(resourcePrefix(resource.definition))
  const entries = Array.from({ length: range.count }, (_, index) => range.at(index))
  const seen = new Map<Key, Seen>()
  for (const [index, entry] of entries.entries()) {
    const { key, revision } = entry
    const known = before?.get(key)
    if (known?.revision === revision) seen.set(key, known)
    else {
      const ageMs = before ? 0 : ageOf(resource, entry, clock.wallMs())
      seen.set(key, { revision, dueMs: clock.monotonicMs() + Math.max(0, ttlMs - ageMs) })
    }
    if (!before && index % decodedAtOnce === decodedAtOnce - 1) await sleep(clock, 0, signal)
  }
  return seen
}

/** An event that cannot be decoded counts as new; its removal fails, as everywhere. */
function ageOf({ codec }: ServedResource, { value }: Entry, nowMs: number): number {
  try {
    return nowMs - lastWriteMs(codec.decode(value).hub as Event, nowMs)
  } catch {
    return 0
  }
}

async function removeAt(
  registry: Registry,
  resource: ServedResource,
  key: Key,
  revision: Revision,
  signal: AbortSignal,
): Promise<void> {
  const prefix = resourcePrefix(resource.definition)
  const [namespace = '', name = ''] = key.slice(prefix.length).split('/')
  const limit = deadline(registry.world.clock, removalMs, signal)
  const preconditions = { resourceVersion: String(revision) }
  try {
    await remove(registry, resource, { namespace, name }, { preconditions, dryRun: false }, limit.signal)
  } catch (error) {
    // Another server was faster, or a client has written the event again.
    const overtaken = error instanceof ApiError && (error.code === 404 || error.code === 409)
    if (!overtaken) throw error
  } finally {
    limit.dispose()
  }
}
