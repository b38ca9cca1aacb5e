import { ApiError, tooLargeResourceVersion } from '@strata/api'
import { DeadlineExceeded, deadline } from '@strata/world'
import type { Registry } from '../registry.ts'
import type { AskedRevision } from './resource-version.ts'

/** How new what is read must be: as new as the store is, as this server happens to know it, or not older than. */
export type Freshness = 'newest' | 'any' | AskedRevision

/** As upstream: how long a client that has seen a newer state waits for this server to catch up. */
const catchUpMs = 3_000

/** As upstream, while its caches are not filled yet. */
const notFilled = (): ApiError =>
  new ApiError(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 })

/** What is said about the API waits no longer than this: it is said without the store too. */
const aboutTheApiMs = 1_000

/**
 * After it, what was acknowledged before is known here, if the store answers in time: true. If it does not, what is known
 * already is still worth telling.
 */
export async function catchUp(registry: FreshnessParts, signal: AbortSignal): Promise<boolean> {
  const limit = deadline(registry.world.clock, aboutTheApiMs, signal)
  try {
    await reachFreshness(registry, 'newest', limit.signal)
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  } finally {
    limit.dispose()
  }
}

/** The parts of a registry that say how new it is. */
interface FreshnessParts {
  readonly cache: Pick<Registry['cache'], 'barrier'>
  readonly world: Pick<Registry['world'], 'clock'>
}

/** After it the cache is as new as asked. A revision that does not come in time is refused. */
export async function reachFreshness(
  { cache, world }: FreshnessParts,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<void> {
  const { barrier } = cache
  if (freshness === 'newest') {
    await barrier.pass(signal)
    return
  }
  const target = freshness === 'any' ? barrier.floor : Math.max(Number(freshness), barrier.floor)
  if (target <= barrier.applied) return
  const limit = deadline(world.clock, catchUpMs, signal)
  // Mostly only the watch is behind, and passing the barrier takes us there. What is not even in the store is waited
  // for without doing anything. Nobody waits for more than was asked for: a store that is slow to say what its newest
  // revision is, or that is written to meanwhile, must not hold up a read that could be served already.
  const reached = barrier.whenReached(target, limit.signal)
  const moved = barrier.pass(limit.signal)
  // The deadline outlives whichever is first, so that the other does not wait for ever.
  void Promise.allSettled([reached, moved]).then(limit.dispose)
  try {
    await Promise.race([reached, moved.then(() => reached)])
  } catch (error) {
    if (error instanceof DeadlineExceeded && !signal.aborted) {
      if (freshness === 'any' || freshness <= barrier.applied) throw notFilled()
      throw tooLargeResourceVersion(freshness, barrier.applied)
    }
    throw error
  }
}
