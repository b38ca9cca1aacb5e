import { serviceUnavailable } from '@strata/api'
import { DeadlineExceeded, deadline, type World } from '@strata/world'
import { isHealthPath } from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { Filter } from './filter.ts'
import { findResource } from './request-info.ts'

/** Shorter than any request may take by itself, so that a server that is slow to start says so. */
const waitMs = 30_000

/**
 * Roles, bindings and what tokens are bound to are read from the cache, which begins in the past: whose rights were
 * taken away since then would have them again, for what was written since then too. So nobody is asked who they are
 * before the cache has come to what was newest when this server started.
 *
 * Only the paths of health answer before: whoever starts servers looks at them to see whether this one is starting, and
 * they say nothing but that. Metrics, discovery and OpenAPI are given by right, and wait.
 */
export function caughtUp(
  cache: Pick<WatchCache, 'synced' | 'whenSynced'>,
  api: Pick<ServedApi, 'find'>,
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
    // Custom resources are known only now, and built-in ones may be withheld.
    return next({ ...context, resource: findResource(api, context.info) })
  }
  return (context, next) =>
    cache.synced || isHealthPath(context.info.path) ? next(context) : wait(context, next)
}
