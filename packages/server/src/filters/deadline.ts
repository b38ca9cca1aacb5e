import { badRequest, timeout } from '@strata/api'
import { DeadlineExceeded, deadline, type World } from '@strata/world'
import type { RequestInfo } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { InvalidDuration, parseGoDuration } from './go-duration.ts'
import { isLongRunning, isReadOnly } from './long-running.ts'

const requestMs = 60_000
/** As upstream: a write gets less time, so that its answer comes before the client gives up. */
const writeMs = 34_000
/** For reviews that read all objects of a resource. */
const readingMs = 600_000
const readings = new Set(['storagecensuses', 'upgradereviews'])

/** Ends every request but a watch in time. A write may have succeeded nevertheless. */
export function requestDeadline({ clock }: World): Filter {
  return async (context, next) => {
    if (isLongRunning(context.info) || context.request.isUpgrade) return next(context)
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

/** The time limit of a request. */
export function maxDurationMs(info: RequestInfo): number {
  const { group, resource = '' } = info.target ?? {}
  if (group === 'strata.dev' && readings.has(resource)) return readingMs
  return isReadOnly(info) ? requestMs : writeMs
}

/** The `?timeout=` of the client, at most the limit. Zero and negative values mean the limit. */
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
