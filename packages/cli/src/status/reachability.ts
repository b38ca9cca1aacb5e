import { isServerError } from '@strata/client'
import { type Clock, DeadlineExceeded, type Transport } from '@strata/world'
import type { Unseen } from './fleet-status.ts'

/** Notices whether anybody answers. */
export interface Reachability {
  readonly wrap: (transport: Transport) => Transport
  readonly unseen: () => Unseen | undefined
}

/** One failure leads to the next server, and nobody needs to hear of it. */
const toleratedMs = 2_000

/** An answer that says "come again" is no sight of the fleet either, but one that says no is. */
export function createReachability(clock: Clock): Reachability {
  let unseen: Unseen | undefined
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
        // Who stops looking has not seen a failure; who was not answered in time has.
        if (error instanceof DeadlineExceeded) fail(`the server does not answer (${error.message})`)
        else if (!request.signal.aborted) fail(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
  }
}
