import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import type { Duplex, Writable } from 'node:stream'
import { OutboundError } from '../outbound.ts'
import type { Remote, RemoteRequest } from '../remote.ts'
import type { HttpBody, HttpResponse } from '../transport.ts'
import { outboundProblem } from './outbound-problem.ts'
import { responseBody } from './response-body.ts'
import { responseHeaders } from './response-headers.ts'
import { TlsAgents, type TlsIdentity } from './tls-agents.ts'

export interface NodeRemote {
  readonly send: Remote
  /** Shows another client certificate from now on. Requests under way are not affected. */
  setIdentity(identity: TlsIdentity | undefined): void
  /** Closes the connections that are kept for later requests. */
  close(): void
}

class StaleConnection extends Error {}

/** Real HTTPS, with the client certificate if there is one. */
export function createNodeRemote(identity?: TlsIdentity): NodeRemote {
  const agents = new TlsAgents(identity)
  const send: Remote = async (request) => {
    request.signal.throwIfAborted()
    try {
      // The connection of an upgrade belongs to its client alone: it is never kept for another request.
      return await exchange(request, agents, request.isUpgrade ? undefined : agents.agentOf(request))
    } catch (error) {
      // A kept connection may have been closed by the other side at the very moment of its use. That says nothing about the
      // other side: the same over a fresh connection does.
      if (!(error instanceof StaleConnection)) throw error
      return exchange(request, agents, undefined)
    }
  }
  return { send, setIdentity: (next) => agents.setIdentity(next), close: () => agents.close() }
}

function exchange(
  request: RemoteRequest,
  agents: TlsAgents,
  agent: Agent | undefined,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const { signal, serverName } = request
  const outgoing = open(request, agents, agent)
  const onAbort = (): void => {
    outgoing.destroy()
    reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  outgoing.once('close', () => signal.removeEventListener('abort', onAbort))
  const fail = (error: unknown): void => {
    const code = (error as { code?: string }).code ?? ''
    const isStale = agent && outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
    // A body that was read in part cannot be sent again. Nor is a DELETE: the other side may have acted on it.
    if (isStale && request.body === undefined && isRead(request.method)) reject(new StaleConnection())
    else reject(new OutboundError(outboundProblem(error, serverName), { cause: error }))
  }
  // Stays for the whole life of the request: an error without a listener ends the process.
  outgoing.on('error', fail)
  outgoing.once('response', (response: IncomingMessage) => {
    response.on('error', () => {})
    resolve({
      status: response.statusCode ?? 0,
      headers: responseHeaders(response),
      body: responseBody(response, signal),
    })
  })
  outgoing.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {})
    const cut = (): void => void socket.destroy()
    signal.addEventListener('abort', cut, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', cut))
    if (head.length > 0) socket.unshift(head)
    pump(request.body, socket).catch(cut)
    resolve({ status: 101, headers: responseHeaders(response), body: socketBytes(socket) })
  })
  if (request.isUpgrade || request.body === undefined) outgoing.end()
  else pump(request.body, outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
  return promise
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

function open(request: RemoteRequest, agents: TlsAgents, agent: Agent | undefined): ClientRequest {
  const url = new URL(request.url)
  try {
    return httpsRequest({
      ...(agent ? { agent } : { agent: false, ...agents.optionsOf(request) }),
      method: request.method,
      // URL keeps the brackets of an IPv6 address, which a socket does not understand.
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 443 : url.port,
      path: request.url.slice(url.origin.length),
      headers: request.headers as Record<string, string | string[]>,
    })
  } catch (cause) {
    // A header or path with characters that HTTP does not allow.
    if (cause instanceof OutboundError) throw cause
    throw new OutboundError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Writes at the pace of the reader, then ends. */
async function pump(body: HttpBody | undefined, target: Writable): Promise<void> {
  if (body instanceof Uint8Array) {
    target.end(body)
    return
  }
  for await (const chunk of body ?? []) {
    if (target.destroyed) return
    if (!target.write(chunk)) await drained(target)
  }
  target.end()
}

function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off('drain', done)
      target.off('close', done)
      resolve()
    }
    target.once('drain', done)
    target.once('close', done)
  })
}

async function* socketBytes(socket: Duplex): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of socket) yield chunk
  } catch {
    // The other side went away without a word: to the client it looks the same.
  } finally {
    socket.destroy()
  }
}
