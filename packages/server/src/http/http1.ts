import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { HttpRequest } from '@strata/world'
import type { ServerRequest } from '../handlers/index.ts'
import { clientGone, type Exchanges } from './exchange.ts'
import { compress } from './gzip.ts'
import { peerCertificate } from './peer-certificate.ts'
import { readBody } from './read-body.ts'
import { headProblem } from './refuse-head.ts'
import { abandonBody, writeBody } from './write-body.ts'

/** Connections on which nothing is a request any more. */
const refused = new WeakSet<object>()

/** One request and its answer over HTTP/1.1. */
export function serveHttp1(exchanges: Exchanges, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // What comes behind a request that was refused for its head may be part of it. It has been parsed by now, if it came at
  // once, and closing the connection would not keep it from being done.
  if (refused.has(incoming.socket)) return
  const problem = headProblem(incoming.rawHeaders)
  if (problem) {
    refused.add(incoming.socket)
    outgoing.writeHead(problem.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    outgoing.end(problem.text)
    return
  }
  exchange(exchanges, incoming, outgoing).catch((error: unknown) => {
    exchanges.log.debug('a response was cut', { error: String(error) })
    outgoing.destroy()
  })
}

async function exchange(
  { handle, clock, isClosing }: Exchanges,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort(clientGone())
  })
  const { signal } = gone
  const peer = peerCertificate(incoming.socket as TLSSocket)
  const request: ServerRequest = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: incoming.headers as HttpRequest['headers'],
    rawHeaders: incoming.rawHeaders,
    readBody: (limitBytes) =>
      readBody(
        { stream: incoming, contentLength: incoming.headers['content-length'], signal },
        limitBytes,
        clock,
      ),
    remoteAddress: () => incoming.socket.remoteAddress ?? '',
    signal,
    ...(peer ? { peer } : {}),
  }
  const { status, headers, body } = await compress(request, await handle(request))
  if (signal.aborted) return abandonBody(body)
  if (isClosing()) {
    outgoing.setHeader('connection', 'close')
    outgoing.on('finish', () => incoming.socket.end())
  }
  const head = headers as Record<string, string | string[]>
  if (body instanceof Uint8Array) {
    // An answer without a body must not claim one, lest the client wait for it.
    outgoing.writeHead(status, status === 304 ? head : { ...head, 'content-length': String(body.length) })
    outgoing.end(status === 304 ? undefined : body)
    return
  }
  outgoing.writeHead(status, head)
  // A watch may have nothing to say for long; its client waits for the headers.
  outgoing.flushHeaders()
  await writeBody(body, outgoing, signal)
}
