import { ApiError, type Event } from '@strata/api'
import { deadline, jitter, sleep } from '@strata/world'
import { resourcePrefix } from '../../codec/index.ts'
import type { Entry, Key, Revision } from '../../store/index.ts'
import { collectionOf, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { remove } from '../write/delete-object.ts'
import { lastWriteMs } from './event-age.ts'

/** So many go in one pass; the rest waits for the next one, and requests are served in between. */
const removalsPerPass = 500
/** So many are decoded before others get a turn. */
const decodedAtOnce = 200
const removalMs = 10_000

interface Seen {
  readonly revision: Revision
  /** On the monotonic clock. */
  readonly dueMs: number
}

/**
 * Removes events one time-to-live after they were last written, as upstream's store does by itself; ours are of several
 * kinds, so the servers do it. Each of them tries and none has to lead: a removal counts only for the very revision
 * that is old, and who comes second finds nothing.
 *
 * Age is counted on the monotonic clock from when this server saw the revision, so that a wall clock that jumps takes
 * nothing away early. Only for what it finds when it starts does it believe the times in the events.
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
    // Not all servers at once: whoever is first spares the others the work.
    await sleep(clock, jitter(random, pauseMs, 0.5), signal).catch(() => {})
  }
}

/** When each event is due. What was known keeps its time; what is new is young, except to a server that has just started. */
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

/** What cannot be decoded is left alone, as everywhere. */
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
    // Another server was faster, or someone has written it again since.
    const overtaken = error instanceof ApiError && (error.code === 404 || error.code === 409)
    if (!overtaken) throw error
  } finally {
    limit.dispose()
  }
}
