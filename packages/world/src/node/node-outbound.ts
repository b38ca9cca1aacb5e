import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { type Outbound, OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound.ts'
import { outboundProblem } from './outbound-problem.ts'
import { responseHeaders } from './response-headers.ts'

export interface NodeOutbound {
  readonly send: Outbound
  /** Closes the connections that are kept for later requests. */
  close(): void
}

/** So many different authorities and names are remembered with their connections; the one not used for longest goes. */
const maxAgents = 200
const maxFreeSockets = 16

/** Real HTTPS. Connections are kept, and shared by all requests that trust the same authority and ask for the same name. */
export function createNodeOutbound(): NodeOutbound {
  const agents = new Map<string, Agent>()

  const agentOf = ({ ca, serverName }: OutboundRequest): Agent => {
    const key = JSON.stringify([ca ?? null, serverName ?? null])
    const agent = agents.get(key) ?? createAgent(ca, serverName)
    agents.delete(key)
    agents.set(key, agent)
    for (const [oldest, idle] of agents) {
      if (agents.size <= maxAgents) break
      agents.delete(oldest)
      idle.destroy()
    }
    return agent
  }

  const send: Outbound = async (request) => {
    request.signal.throwIfAborted()
    const agent = agentOf(request)
    try {
      return await exchange(request, agent)
    } catch (error) {
      // A kept connection may have been closed by the other side at the very moment of its use. That says nothing about
      // the other side: the same over a fresh connection does.
      if (!(error instanceof StaleConnection)) throw error
      return exchange(request, undefined)
    }
  }
  return {
    send,
    close: () => {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

function createAgent(ca: string | undefined, serverName: string | undefined): Agent {
  return new Agent({ keepAlive: true, maxFreeSockets, scheduling: 'lifo', ...tlsOptions(ca, serverName) })
}

function tlsOptions(ca: string | undefined, serverName: string | undefined) {
  return {
    secureContext: ca === undefined ? undefined : contextOf(ca),
    servername: serverName,
  }
}

function contextOf(ca: string): SecureContext {
  const noPem = 'unable to load root certificates: unable to parse bytes as PEM block'
  // Node ignores a text that is not a certificate, and would then trust no server.
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new OutboundError(noPem)
  try {
    return createSecureContext({ ca })
  } catch (cause) {
    throw new OutboundError(noPem, { cause })
  }
}

class StaleConnection extends Error {}

/** One request and its answer; without an agent over a connection of its own. */
function exchange(request: OutboundRequest, agent: Agent | undefined): Promise<OutboundResponse> {
  const { signal, body, headers } = request
  return new Promise((resolve, reject) => {
    const url = new URL(request.url)
    // URL keeps the brackets of an IPv6 address, which a socket does not understand.
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    const outgoing = httpsRequest({
      ...(agent ? { agent } : { agent: false, ...tlsOptions(request.ca, request.serverName) }),
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
