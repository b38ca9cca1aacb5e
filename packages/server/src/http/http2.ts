import {
  constants,
  type Http2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { HttpRequest } from '@strata/world'
import { isClient, type ServerRequest } from '../handlers/index.ts'
import { type Account, type Accounts, heldRequest } from './accounts.ts'
import { clientGone, type Exchanges } from './exchange.ts'
import { compress } from './gzip.ts'
import { peerCertificate } from './peer-certificate.ts'
import { readBody, streamBody } from './read-body.ts'
import { abandonBody, writeBody } from './write-body.ts'

/** One request and its answer over HTTP/2, on the stream itself: Node's compatibility layer for HTTP/1 costs a fifth more. */
export function serveHttp2(
  exchanges: Exchanges,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): void {
  const { accounts, turns, log, clock } = exchanges
  // Without a listener, a client that disconnects would end the process.
  stream.on('error', (error) => log.debug('stream failed', { error: String(error) }))
  const { session } = stream
  if (!session) return
  const account = accounts.of(session)
  const begunMs = clock.monotonicMs()
  stream.on('close', () => {
    if (stream.headersSent || session.destroyed) return
    if (!account.reset(clock.monotonicMs() - begunMs)) closeSession(accounts, session)
  })
  const begin = (): void => {
    if (stream.destroyed || stream.closed) return
    if (isClient(peerCertificate(session.socket as TLSSocket, exchanges.authorities))) account.authenticated()
    if (!account.request()) return closeSession(accounts, session)
    exchange(exchanges, account, stream, headers, rawHeaders).catch((error: unknown) => {
      log.debug('response ended early', { error: String(error) })
      stream.close()
    })
  }
  if (!turns.start(session, begin)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
}

function closeSession(accounts: Accounts, session: Http2Session): void {
  if (session.destroyed) return
  accounts.reportClosed(session.socket?.remoteAddress ?? '')
  session.destroy(
    new Error('the connection sent too many requests without authenticating'),
    constants.NGHTTP2_ENHANCE_YOUR_CALM,
  )
}

async function exchange(
  { handle, clock, accounts, authorities }: Exchanges,
  account: Account,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): Promise<void> {
  const gone = new AbortController()
  let isHandedOver = false
  // The state of the stream does not show whether it has finished: an aborted one looks the same, with any code.
  stream.on('close', () => {
    if (!isHandedOver) gone.abort(clientGone())
  })
  const { signal } = gone
  const method = headers[':method'] ?? 'GET'
  const peer = stream.session ? peerCertificate(stream.session.socket as TLSSocket, authorities) : undefined
  const request: ServerRequest = {
    method,
    target: headers[':path'] ?? '/',
    headers: headers as HttpRequest['headers'],
    rawHeaders,
    readBody: (limitBytes) =>
      readBody({ stream, contentLength: headers['content-length'], signal }, limitBytes, clock),
    ...(stream.endAfterHeaders ? {} : { bodyStream: () => streamBody(stream) }),
    remoteAddress: () => stream.session?.socket?.remoteAddress ?? '',
    onAuthenticated: () => account.authenticated(),
    ...heldRequest(account, () => stream.session && closeSession(accounts, stream.session)),
    signal,
    ...(peer ? { peer } : {}),
  }
  if (headers['expect'] === '100-continue') stream.additionalHeaders({ ':status': 100 })
  const response = await compress(request, await handle(request))
  const { status, body } = response
  if (stream.destroyed || stream.closed) {
    gone.abort(clientGone())
    return abandonBody(body)
  }
  const head: OutgoingHttpHeaders = { ...(response.headers as OutgoingHttpHeaders), ':status': status }
  if (!(body instanceof Uint8Array)) {
    stream.respond(head)
    await writeBody(body, stream, signal)
    isHandedOver = true
    return
  }
  if (status !== 304) head['content-length'] = String(body.length)
  const endStream = method === 'HEAD' || status === 304 || body.length === 0
  isHandedOver = true
  stream.respond(head, { endStream })
  if (!endStream) stream.end(body)
}
