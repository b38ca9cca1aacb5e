import { serviceUnavailable } from '@strata/api'
import { DeadlineExceeded, deadline, type World } from '@strata/world'
import { isHealthPath } from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { Filter } from './filter.ts'
import { findTarget } from './request-info.ts'

/** Shorter than the time limit of any request, so that a server that is slow to start says so. */
const waitMs = 30_000

/**
 * Holds requests until the cache contains everything that was stored when this server started. Roles, bindings and the
 * objects that tokens are bound to are read from the cache. Otherwise: the cache begins in the past, and a user has rights
 * again that were removed since.
 *
 * Only health paths answer earlier: they show whether the server is starting, and nothing else. Metrics, discovery and
 * OpenAPI need authorization, and wait.
 */
export function caughtUp(
  cache: Pick<WatchCache, 'synced' | 'whenSynced'>,
  api: Pick<ServedApi, 'find' | 'elsewhere'>,
  { clock }: World,
): Filter {
  const wait: Filter = async (context, next) => {
    const { request } = context
    const limit = deadline(clock, waitMs, context.signal)
    if (request.headers['authorization'] !== undefined) request.onHeld?.()
    try {
      await cache.whenSynced(limit.signal)
    } catch (error) {
      request.onUnauthenticated?.()
      if (!(error instanceof DeadlineExceeded)) throw error
      throw serviceUnavailable('the server is starting and has not caught up with its storage yet', 1)
    } finally {
      limit.dispose()
    }
    // The filled cache adds custom resources, and may withhold built-in ones.
    return next({ ...context, ...findTarget(api, request) })
  }
  return (context, next) =>
    cache.synced || isHealthPath(context.info.path) ? next(context) : wait(context, next)
}
