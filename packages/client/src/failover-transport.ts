import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '@strata/world'
import { isUnavailable } from './errors.ts'

/**
 * One of several servers that serve the same store. A request stays with the server that answered last. One
 * that certainly did not arrive is sent to the next server at once; after any other failure only the requests
 * that follow go there, because the first server may have acted.
 */
export function createFailoverTransport(servers: readonly [Transport, ...Transport[]]): Transport {
  let current = 0

  /** Away from a server that failed us, unless another request has already led us away. */
  const leave = (failed: number): void => {
    if (current === failed) current = (failed + 1) % servers.length
  }

  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    for (let attempt = 1; ; attempt++) {
      const chosen = current
      const server = servers[chosen] ?? servers[0]
      try {
        const response = await server(request)
        // Shutting down, or cut off from its store: its answer stands, and others may do better.
        if (isUnavailable(response)) leave(chosen)
        return response
      } catch (error) {
        // Also when the caller gave up waiting: a frozen server never fails by itself.
        leave(chosen)
        const arrived = !(error instanceof TransportError) || error.reached !== 'no'
        if (arrived || attempt >= servers.length || request.signal.aborted) throw error
      }
    }
  }
  return send
}
