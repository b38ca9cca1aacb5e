import { timeout } from '@strata/api'
import { DeadlineExceeded, deadline, type World } from '@strata/world'
import type { Filter } from './filter.ts'

const requestMs = 60_000
/** As upstream: a write gets less, so that its answer comes before the client has given up. */
const writeMs = 34_000
const reads = new Set(['get', 'list', 'watch'])

/** Everything but a watch ends in time; what a write was doing then may have happened. */
export function requestDeadline({ clock }: World): Filter {
  return async (context, next) => {
    if (context.info.verb === 'watch') return next(context)
    const limit = deadline(clock, reads.has(context.info.verb) ? requestMs : writeMs, context.signal)
    try {
      return await next({ ...context, signal: limit.signal })
    } catch (error) {
      if (error instanceof DeadlineExceeded) {
        throw timeout('request did not complete within the allotted timeout')
      }
      throw error
    } finally {
      limit.dispose()
    }
  }
}
