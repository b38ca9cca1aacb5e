import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '@strata/world'
import { isUnavailable } from './errors.ts'

export interface FailoverTransport extends Transport {
  /**
   * Sends to the server that is used now, and to no other one: for a watch and the requests that tell whether its server still
   * answers. Another server's answer would hide that the first is frozen.
   */
  pin(): Transport
}

/**
 * Sends requests to one of several servers of the same store: the one that answered last. A request that certainly did
 * not arrive goes to the next server at once. After any other failure only later requests go there, because the first
 * server may have acted.
 */
export function createFailoverTransport(servers: readonly [Transport, ...Transport[]]): FailoverTransport {
  let current = 0

  /** Leaves a server that failed, unless another request has already left it. */
  const leave = (failed: number): void => {
    if (current === failed) current = (failed + 1) % servers.length
  }

  const sendTo = async (chosen: number, request: HttpRequest): Promise<HttpResponse> => {
    const server = servers[chosen] ?? servers[0]
    try {
      const response = await server(request)
      // The server shuts down or has lost its store. The answer stands; later requests go to another server.
      if (isUnavailable(response)) leave(chosen)
      return response
    } catch (error) {
      // Also after the caller's own timeout: a frozen server never fails by itself.
      leave(chosen)
      throw error
    }
  }

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendTo(current, request)
      } catch (error) {
        const arrived = !(error instanceof TransportError) || error.reached !== 'no'
        if (arrived || attempt >= servers.length || request.signal.aborted) throw error
      }
    }
  }
  const pin = (): Transport => {
    const chosen = current
    return (request) => sendTo(chosen, request)
  }
  return Object.assign(send, { pin })
}
