import { ApiError, tooLargeResourceVersion } from '@strata/api'
import { DeadlineExceeded, deadline } from '@strata/world'
import type { Registry } from '../registry.ts'
import type { AskedRevision } from './resource-version.ts'

/** How new a read must be: as new as the store, whatever this server has, or at least this revision. */
export type Freshness = 'newest' | 'any' | AskedRevision

/** As upstream: how long a client that has seen a newer state waits for this server to catch up. */
const catchUpMs = 3_000

/** As upstream, while its caches are not filled yet. */
const notFilled = (): ApiError =>
  new ApiError(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 })

/** Discovery, OpenAPI and a census wait no longer than this: they go on with what the cache has. */
const aboutTheApiMs = 1_000

/** Waits until the cache shows everything acknowledged before. False if it does not in time; the cache is still worth serving. */
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

/** The parts of a registry that freshness needs. */
interface FreshnessParts {
  readonly cache: Pick<Registry['cache'], 'barrier'>
  readonly world: Pick<Registry['world'], 'clock'>
}

/** Waits until the cache is fresh enough: as new as asked. Rejects if the revision does not arrive in time. */
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
  // Usually only the watch is behind, and passing the barrier is enough. A revision that is not in the store yet is awaited
  // without any action. A read never waits for more than it asked for: a slow store, or one that is written to meanwhile, must
  // not hold up a read that can be served already.
  const reached = barrier.whenReached(target, limit.signal)
  const moved = barrier.pass(limit.signal)
  // The deadline outlives the first of the two, so that the other does not wait for ever.
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
