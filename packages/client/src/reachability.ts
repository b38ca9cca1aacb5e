import { type Clock, DeadlineExceeded, type Transport } from '@strata/world'
import { isServerError } from './errors.ts'

/** No server answers. */
export interface Unreachable {
  readonly since: string
  readonly because: string
}

/** Notices whether any server answers. */
export interface Reachability {
  readonly wrap: (transport: Transport) => Transport
  readonly unseen: () => Unreachable | undefined
}

/** After one failure the next server is asked; that needs no message. */
const toleratedMs = 2_000

/** A 5xx answer does not count as one; any other error of the server does. */
export function createReachability(clock: Clock): Reachability {
  let unseen: Unreachable | undefined
  let sinceMs = 0
  const fail = (because: string): void => {
    if (!unseen) sinceMs = clock.monotonicMs()
    unseen ??= { since: new Date(clock.wallMs()).toISOString(), because }
  }
  return {
    unseen: () => (clock.monotonicMs() - sinceMs < toleratedMs ? undefined : unseen),
    wrap: (transport) => async (request) => {
      try {
        const response = await transport(request)
        if (isServerError(response)) fail(`the server answered ${response.status}`)
        else unseen = undefined
        return response
      } catch (error) {
        // An abort by the caller is no failure; a timeout is.
        if (error instanceof DeadlineExceeded) fail(`the server does not answer (${error.message})`)
        else if (!request.signal.aborted) fail(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
  }
}
