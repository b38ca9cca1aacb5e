import type { Deadline, HttpResponse, Remote } from '@strata/world'
import type { Backend } from './backend.ts'

/** A backend as a request sees it. */
export interface FoundBackend {
  readonly backend: Backend
  readonly host: string
  readonly isAvailable: boolean
  readonly originOf: () => string | undefined | Promise<string | undefined>
  readonly send: (request: Parameters<Remote>[0]) => Promise<HttpResponse>
  /** Counts a request. Returns the function to call at its end; undefined if too many are under way. */
  readonly begin: () => (() => void) | undefined
  /** For a request without a time limit: a signal that is also aborted when the backend is found silent. */
  readonly beginLong: (signal: AbortSignal) => Deadline
}

/** Of one backend. A slow backend must not use up the requests in flight of this server, so it has a limit of its own. */
const maxInFlight = 400

/** Counts a request, unless too many are under way. */
export function begin(followed: { inFlight: number }): (() => void) | undefined {
  if (followed.inFlight >= maxInFlight) return undefined
  followed.inFlight++
  let isOver = false
  return () => {
    if (!isOver) followed.inFlight--
    isOver = true
  }
}
