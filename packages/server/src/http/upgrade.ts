import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { HttpHeaders, HttpRequest, HttpResponse } from '@strata/world'
import { isClient, type ServerRequest } from '../handlers/index.ts'
import { heldRequest } from './accounts.ts'
import { clientGone, type Exchanges } from './exchange.ts'
import { peerCertificate } from './peer-certificate.ts'
import { headProblem } from './refuse-head.ts'
import { abandonBody, writeBody } from './write-body.ts'

/**
 * A request for another protocol over HTTP/1.1, for a backend. It passes all filters. After 101, bytes go both ways until one
 * side ends; any other answer ends the connection, so that what the client sends next reaches no one.
 */
export function serveUpgrade(
  exchanges: Exchanges,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const { accounts, log, handle, authorities } = exchanges
  socket.on('error', () => {})
  const account = accounts.of(socket)
  const peer = peerCertificate(socket as TLSSocket, authorities)
  if (isClient(peer)) account.authenticated()
  if (headProblem(incoming.rawHeaders) || !account.request()) {
    socket.destroy()
    return
  }
  const gone = new AbortController()
  socket.once('close', () => gone.abort(clientGone()))
  if (head.length > 0) socket.unshift(head)
  const request: ServerRequest = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: incoming.headers as HttpRequest['headers'],
    rawHeaders: incoming.rawHeaders,
    isUpgrade: true,
    bodyStream: () => socket.iterator({ destroyOnReturn: false }),
    remoteAddress: () => socket.remoteAddress ?? '',
    onAuthenticated: () => account.authenticated(),
    ...heldRequest(account, () => accounts.reportClosed(socket.remoteAddress ?? '')),
    signal: gone.signal,
    ...(peer ? { peer } : {}),
  }
  handle(request)
    .then((response) => answer(incoming, socket, response, gone.signal))
    .catch((error: unknown) => {
      log.debug('response ended early', { error: String(error) })
      socket.destroy()
    })
}

async function answer(
  incoming: IncomingMessage,
  socket: Socket,
  { status, headers, body }: HttpResponse,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return abandonBody(body)
  if (status === 101 && !(body instanceof Uint8Array)) {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headText(headers)}\r\n`, 'latin1')
    await writeBody(body, socket, signal)
    // The backend has ended: what the client still sends reaches no one.
    socket.destroySoon()
    return
  }
  const outgoing = new ServerResponse(incoming)
  outgoing.shouldKeepAlive = false
  outgoing.assignSocket(socket)
  outgoing.on('finish', () => socket.end())
  outgoing.writeHead(status, { ...(headers as Record<string, string | string[]>), connection: 'close' })
  if (body instanceof Uint8Array) outgoing.end(body)
  else await writeBody(body, outgoing, signal)
}

function headText(headers: HttpHeaders): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}\r\n`))
    .join('')
}
