import type { Clock, HttpRequest, HttpResponse, Log } from '@strata/world'
import type { Accounts } from './accounts.ts'
import type { Turns } from './turns.ts'

/** What every exchange needs, whichever version of HTTP it is spoken in. */
export interface Exchanges {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly clock: Clock
  readonly log: Log
  readonly accounts: Accounts
  readonly turns: Turns
  /** True when no new requests are wanted: connections end with the answer that is under way. */
  isClosing(): boolean
}

/** Why a request is given up that nobody waits for any more. */
export const clientGone = (): Error => new Error('the client has gone away')
