import { badRequest, timeout } from '@strata/api'
import { DeadlineExceeded, deadline, type World } from '@strata/world'
import type { RequestInfo } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { InvalidDuration, parseGoDuration } from './go-duration.ts'
import { isLongRunning, isReadOnly } from './long-running.ts'

const requestMs = 60_000
/** As upstream: a write gets less, so that its answer comes before the client has given up. */
const writeMs = 34_000
/** For a question that is answered by reading all there is of a resource. */
const readingMs = 600_000
const readings = new Set(['storagecensuses', 'upgradereviews'])

/** Everything but a watch ends in time; what a write was doing then may have happened. */
export function requestDeadline({ clock }: World): Filter {
  return async (context, next) => {
    if (isLongRunning(context.info)) return next(context)
    const most = maxDurationMs(context.info)
    const limit = deadline(clock, decideTimeoutMs(context.info.query.get('timeout'), most), context.signal)
    try {
      return await next({ ...context, signal: limit.signal })
    } catch (error) {
      if (error instanceof DeadlineExceeded) {
        throw timeout('Timeout: request did not complete within the allotted timeout')
      }
      throw error
    } finally {
      limit.dispose()
    }
  }
}

/** How long a request may take. */
export function maxDurationMs(info: RequestInfo): number {
  const { group, resource = '' } = info.target ?? {}
  if (group === 'strata.dev' && readings.has(resource)) return readingMs
  return isReadOnly(info) ? requestMs : writeMs
}

/** What the client asks for with `?timeout=`, but never more than it may have; zero and less ask for nothing. */
export function decideTimeoutMs(asked: string | null, mostMs: number): number {
  if (asked === null || asked === '') return mostMs
  try {
    const wanted = parseGoDuration(asked)
    return wanted > 0 && wanted < mostMs ? wanted : mostMs
  } catch (error) {
    if (!(error instanceof InvalidDuration)) throw error
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`)
  }
}
