import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { HttpRequest } from '@strata/world'
import { isClient, type ServerRequest } from '../handlers/index.ts'
import { type Account, heldRequest } from './accounts.ts'
import { clientGone, type Exchanges } from './exchange.ts'
import { compress } from './gzip.ts'
import { peerCertificate } from './peer-certificate.ts'
import { readBody, streamBody } from './read-body.ts'
import { headProblem } from './refuse-head.ts'
import { abandonBody, writeBody } from './write-body.ts'

/** Connections that accept no more requests. */
const refused = new WeakSet<object>()

/** One request and its answer over HTTP/1.1. */
export function serveHttp1(exchanges: Exchanges, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming
  const account = exchanges.accounts.of(socket)
  const begin = (): void => {
    // Bytes after a request with a bad head may be part of it. If they came at once they are parsed by now, and closing the
    // connection would not stop them.
    if (refused.has(socket) || socket.destroyed) return
    const problem = headProblem(incoming.rawHeaders)
    if (problem) return refuse(incoming, outgoing, problem)
    if (isClient(peerCertificate(socket as TLSSocket, exchanges.authorities))) account.authenticated()
    if (!account.request()) {
      exchanges.accounts.reportClosed(socket.remoteAddress ?? '')
      return refuse(incoming, outgoing, tooManyRequests)
    }
    exchange(exchanges, account, incoming, outgoing).catch((error: unknown) => {
      exchanges.log.debug('response ended early', { error: String(error) })
      outgoing.destroy()
    })
  }
  if (!exchanges.turns.start(socket, begin)) socket.destroy()
}

const tooManyRequests = {
  status: 429,
  text: 'Too many requests without credentials on this connection, please try again later.\n',
}

/** Whether a body follows the head. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Answers, and accepts no more requests on this connection. */
function refuse(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  refused.add(socket)
  outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  outgoing.end(text)
}

async function exchange(
  { handle, clock, isClosing, accounts, authorities }: Exchanges,
  account: Account,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort(clientGone())
  })
  const { signal } = gone
  const peer = peerCertificate(incoming.socket as TLSSocket, authorities)
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
    ...(hasBody(incoming) ? { bodyStream: () => streamBody(incoming) } : {}),
    remoteAddress: () => incoming.socket.remoteAddress ?? '',
    onAuthenticated: () => account.authenticated(),
    ...heldRequest(account, () => {
      accounts.reportClosed(incoming.socket.remoteAddress ?? '')
      refused.add(incoming.socket)
      outgoing.setHeader('connection', 'close')
    }),
    signal,
    ...(peer ? { peer } : {}),
  }
  const { status, headers, body } = await compress(request, await handle(request))
  if (signal.aborted) return abandonBody(body)
  if (isClosing(incoming.socket)) {
    outgoing.setHeader('connection', 'close')
    outgoing.on('finish', () => incoming.socket.end())
  }
  const head = headers as Record<string, string | string[]>
  if (body instanceof Uint8Array) {
    // An answer without a body must not announce one, or the client waits for it.
    outgoing.writeHead(status, status === 304 ? head : { ...head, 'content-length': String(body.length) })
    outgoing.end(status === 304 ? undefined : body)
    return
  }
  outgoing.writeHead(status, head)
  // A watch may be silent for long, and its client waits for the headers.
  outgoing.flushHeaders()
  await writeBody(body, outgoing, signal)
}
