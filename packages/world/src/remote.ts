import type { HttpBody, HttpHeaders, HttpResponse } from './transport.ts'

/** A request that is passed on to a server outside the fleet, whose address and authority are known only at that time. */
export interface RemoteRequest {
  readonly method: string
  /** `https://host:port/path?query`. */
  readonly url: string
  readonly headers: HttpHeaders
  /** Read at the pace of the other side. */
  readonly body?: HttpBody | undefined
  /** The CA bundle of the other side, in PEM. Defaults to the system trust store. */
  readonly ca?: string | undefined
  /** Skips verification of the certificate. */
  readonly isUnverified?: boolean | undefined
  /** The name that the certificate must contain, and that SNI sends. */
  readonly serverName: string
  /**
   * Asks for another protocol. If the other side agrees, the status is 101: from then on `body` of the request is sent to it,
   * and `body` of the response is what it sends. If not, nothing of `body` is sent, and the connection is closed after the answer.
   */
  readonly isUpgrade?: boolean | undefined
  readonly signal: AbortSignal
}

/**
 * Sends a request and returns the answer as a stream. Redirects are returned like other answers, and not followed. Throws
 * OutboundError if there is no answer, or the reason of the signal.
 */
export type Remote = (request: RemoteRequest) => Promise<HttpResponse>
