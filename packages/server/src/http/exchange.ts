import type { Socket } from 'node:net'
import type { Clock, HttpRequest, HttpResponse, Log } from '@strata/world'
import type { Accounts } from './accounts.ts'
import type { PeerAuthorities } from './peer-authorities.ts'
import type { Turns } from './turns.ts'

/** The parts that every exchange needs, for HTTP/1.1 and HTTP/2. */
export interface Exchanges {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly clock: Clock
  readonly log: Log
  readonly accounts: Accounts
  readonly turns: Turns
  /** Who vouches for the certificates of clients. */
  readonly authorities: PeerAuthorities
  /** True if a connection of HTTP/1.1 has to end after the answer that is under way. */
  isClosing(socket: Socket): boolean
}

/** The reason with which a request is aborted when its client has gone. */
export const clientGone = (): Error => new Error('the client has gone away')
