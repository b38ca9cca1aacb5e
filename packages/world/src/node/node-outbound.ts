import type { IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { type Outbound, OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound.ts'
import { outboundProblem } from './outbound-problem.ts'
import { responseHeaders } from './response-headers.ts'
import { TlsAgents } from './tls-agents.ts'

export interface NodeOutbound {
  readonly send: Outbound
  /** Closes the connections that are kept for later requests. */
  close(): void
}

/** Real HTTPS. Connections are kept. */
export function createNodeOutbound(): NodeOutbound {
  const agents = new TlsAgents()

  const send: Outbound = async (request) => {
    request.signal.throwIfAborted()
    try {
      return await exchange(request, agents, agents.agentOf(request))
    } catch (error) {
      // A kept connection may have been closed by the other side at the very moment of its use. That says nothing about
      // the other side: the same over a fresh connection does.
      if (!(error instanceof StaleConnection)) throw error
      return exchange(request, agents, undefined)
    }
  }
  return {
    send,
    close: () => agents.close(),
  }
}

class StaleConnection extends Error {}

/** One request and its answer; without an agent over a connection of its own. */
function exchange(
  request: OutboundRequest,
  agents: TlsAgents,
  agent: Agent | undefined,
): Promise<OutboundResponse> {
  const { signal, body, headers } = request
  return new Promise((resolve, reject) => {
    const url = new URL(request.url)
    // URL keeps the brackets of an IPv6 address, which a socket does not understand.
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    const outgoing = httpsRequest({
      ...(agent ? { agent } : { agent: false, ...agents.optionsOf(request) }),
      method: 'POST',
      hostname,
      ...(isIP(hostname) === 0 || request.serverName !== undefined ? {} : { servername: '' }),
      port: url.port === '' ? 443 : url.port,
      path: url.pathname + url.search,
      headers: { ...(headers as Record<string, string | string[]>), 'content-length': String(body.length) },
    })
    const onAbort = (): void => {
      outgoing.destroy()
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort))
    let answered = false
    const fail = (error: unknown): void => {
      const code = (error as { code?: string }).code ?? ''
      if (agent && !answered && outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) {
        reject(new StaleConnection())
      } else {
        const why = outboundProblem(error, request.serverName ?? hostname)
        reject(new OutboundError(why, { cause: error }))
      }
    }
    // Stays for the whole life of the request: an error without a listener ends the process.
    outgoing.on('error', fail)
    outgoing.once('response', (response) => {
      answered = true
      readLimited(response, request.maxResponseBytes).then(
        (bytes) =>
          resolve({ status: response.statusCode ?? 0, headers: responseHeaders(response), body: bytes }),
        (error: unknown) => {
          outgoing.destroy()
          if (error instanceof OutboundError) reject(error)
          else fail(error)
        },
      )
    })
    outgoing.end(body)
  })
}

async function readLimited(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes) throw new OutboundError(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  // A connection that breaks off ends the iteration with an error only if Node has noticed.
  if (!response.complete) throw new OutboundError('unexpected EOF')
  return Buffer.concat(chunks)
}
