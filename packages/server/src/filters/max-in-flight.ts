import type { HttpResponse } from '@strata/world'
import { superusers } from '../authorization/index.ts'
import { serveDefaults } from '../configuration/index.ts'
import { respondText } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { isLongRunning, isReadOnly } from './long-running.ts'
import { observeBody } from './observe-body.ts'

export interface InFlightLimits {
  /** Reads in flight. 0 is no limit. */
  readonly readOnly: number
  readonly mutating: number
}

export const inFlightDefaults: InFlightLimits = {
  readOnly: serveDefaults.maxRequestsInflight,
  mutating: serveDefaults.maxMutatingRequestsInflight,
}

/** The requests in flight now, for metrics. */
export interface InFlight {
  readonly readOnly: number
  readonly mutating: number
}

/**
 * Refuses requests when too many are in flight: a client that retries later costs less than one that waits. Administrators
 * are not refused, because they can end the overload.
 */
export function maxInFlight(limits: InFlightLimits = inFlightDefaults): {
  filter: Filter
  inFlight: InFlight
} {
  const inFlight = { readOnly: 0, mutating: 0 }
  const filter: Filter = async (context, next) => {
    // Each backend has a limit of its own: one that is slow must not take the places of requests that are served here.
    if (isLongRunning(context.info) || context.elsewhere) return next(context)
    const kind = isReadOnly(context.info) ? 'readOnly' : 'mutating'
    const isFull = limits[kind] > 0 && inFlight[kind] >= limits[kind]
    if (isFull && !context.user?.groups.includes(superusers)) return tooManyRequests()
    inFlight[kind]++
    let response: HttpResponse | undefined
    try {
      response = await next(context)
    } finally {
      // A list that is still being streamed is in flight.
      if (!response || response.body instanceof Uint8Array) inFlight[kind]--
    }
    if (response.body instanceof Uint8Array) return response
    return { ...response, body: observeBody(response.body, { onEnd: () => inFlight[kind]-- }) }
  }
  return { filter, inFlight }
}

function tooManyRequests(): HttpResponse {
  const response = respondText(429, 'Too many requests, please try again later.\n')
  return { ...response, headers: { ...response.headers, 'retry-after': '1' } }
}
