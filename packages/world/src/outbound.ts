import type { HttpHeaders } from './transport.ts'

/** A request to a server outside the fleet, whose address is known only at that time: a webhook, for example. */
export interface OutboundRequest {
  /** `https://host:port/path?query`. */
  readonly url: string
  readonly headers: HttpHeaders
  readonly body: Uint8Array
  /** The CA bundle of the other side, in PEM. Defaults to the system trust store. */
  readonly ca?: string | undefined
  /** The name that the certificate must contain, and that SNI sends. Defaults to the host of the address. */
  readonly serverName?: string | undefined
  /** A longer answer is refused while it is read. */
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: Uint8Array
}

/** Posts a request and reads the whole response. Redirects are returned like other responses, and not followed. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundResponse>

/** There was no answer. The message says why, in the words that people know from Go and search for. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
}
