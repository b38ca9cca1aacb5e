import type { Clock, Transport } from '@strata/world'
import type { Unseen } from './fleet-status.ts'

/** Notices whether anybody answers. */
export interface Reachability {
  readonly wrap: (transport: Transport) => Transport
  readonly unseen: () => Unseen | undefined
}

/** An answer that says "come again" is no sight of the fleet either, but one that says no is. */
export function createReachability(clock: Clock): Reachability {
  let unseen: Unseen | undefined
  const fail = (because: string): void => {
    unseen ??= { since: new Date(clock.wallMs()).toISOString(), because }
  }
  return {
    unseen: () => unseen,
    wrap: (transport) => async (request) => {
      try {
        const response = await transport(request)
        if (response.status >= 500) fail(`the server answered ${response.status}`)
        else unseen = undefined
        return response
      } catch (error) {
        // Who stops looking has not seen a failure.
        if (!request.signal.aborted) fail(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
  }
}
