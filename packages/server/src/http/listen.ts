import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Clock, HttpRequest, HttpResponse, Log } from '@strata/world'
import { Accounts } from './accounts.ts'
import type { Exchanges } from './exchange.ts'
import { serveHttp1 } from './http1.ts'
import { serveHttp2 } from './http2.ts'
import { type Authorities, PeerAuthorities, trustedBy } from './peer-authorities.ts'
import type { BudgetLimits } from './spending.ts'
import { Turns } from './turns.ts'
import { serveUpgrade } from './upgrade.ts'

export interface ListenOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Without an authority, clients are not asked for a certificate. */
  readonly tls: { readonly cert: string; readonly key: string } & Authorities
  /** Whether a request for another protocol may get one. Others are answered as if they had not asked for it. */
  readonly takesUpgrade?: (target: string) => boolean
  readonly clock: Clock
  readonly log: Log
  /** What connections may cost. Defaults to `budgetLimits`. */
  readonly budget?: BudgetLimits
}

export interface Listener {
  readonly port: number
  /** Other authorities of client certificates, also for connections that are open: they end after the requests under way. */
  setAuthorities(authorities: Authorities): void
  /** Accepts no new connections. Requests under way may finish until the signal, then they are cut. */
  close(signal: AbortSignal): Promise<void>
}

/** An idle connection is closed after this time, as in upstream. */
const idleMs = 90_000
/** As Go accepts: selectors that name many objects make long URLs. */
const headBytes = 1024 * 1024
/**
 * The server for both versions accepts these although its type does not have them. HTTP/2 sessions disable Nagle's
 * algorithm themselves; HTTP/1.1 connections do not, and small chunks would wait 40 ms for a delayed acknowledgement.
 */
const socketOptions: object = { maxHeaderSize: headBytes, noDelay: true }
const uploadWindowBytes = 256 * 1024
const sessionWindowBytes = 4 * uploadWindowBytes

/** Settings for HTTP/1 that the server has and its type does not. */
interface Http1Settings {
  headersTimeout: number
  requestTimeout: number
  keepAliveTimeout: number
  connectionsCheckingInterval: number
  shouldUpgradeCallback: (incoming: IncomingMessage) => boolean
  closeIdleConnections: () => void
}

/** Opens the socket in front of a server function: HTTP/1.1 and HTTP/2 over TLS on one port. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { handle, host, port, tls, clock, log, takesUpgrade = () => false } = options
  let closing = false
  /** Connections whose certificates were verified by other authorities than the present ones. */
  const outdated = new WeakSet<Socket>()
  const authorities = new PeerAuthorities(tls, clock)
  const exchanges: Exchanges = {
    ...{ handle, clock, log, isClosing: (socket) => closing || outdated.has(socket) },
    accounts: new Accounts(clock, log, options.budget),
    turns: new Turns(clock),
    authorities,
  }
  const asksClients = tls.clientCa !== undefined || tls.requestHeaderCa !== undefined
  const server = createSecureServer({
    ...secureContext(tls, tls),
    allowHTTP1: true,
    ...socketOptions,
    // An untrusted certificate does not end the connection: the client may also have a token.
    ...(asksClients ? { requestCert: true, rejectUnauthorized: false } : {}),
    settings: { maxConcurrentStreams: 250, initialWindowSize: uploadWindowBytes, enablePush: false },
  })
  // A client that sends its headers or body byte by byte may not hold a connection for ever.
  const http1: Omit<Http1Settings, 'closeIdleConnections'> = {
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 5_000,
    shouldUpgradeCallback: ({ url = '/' }) => takesUpgrade(url),
  }
  Object.assign(server, http1)
  server.on('request', (incoming, outgoing) => serveHttp1(exchanges, incoming as never, outgoing as never))
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) =>
    serveUpgrade(exchanges, incoming, socket, head),
  )
  // The listener of requests also adds Node's compatibility layer for HTTP/2 streams. This server uses the streams directly.
  server.removeAllListeners('stream')
  server.on('stream', (stream, headers, _, rawHeaders) =>
    serveHttp2(exchanges, stream as ServerHttp2Stream, headers, rawHeaders),
  )
  server.on('tlsClientError', (error, socket) => {
    log.debug('TLS handshake failed', { error: String(error) })
    if ((error as { code?: string }).code === 'ERR_SSL_HTTP_REQUEST') refusePlain(socket)
  })
  const sessions = trackSessions(server, log)
  const sockets = trackSockets(server)
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    setAuthorities: (others) => {
      authorities.use(others)
      server.setSecureContext(secureContext(tls, others))
      // TLS verifies a certificate at the handshake only. Otherwise: (1) a front proxy connects before this server knows its
      // CA; (2) this server reads the CA; (3) the proxy keeps its connection, and each of its requests is refused.
      for (const socket of sockets) outdated.add(socket)
      for (const session of sessions) session.close()
      ;(server as unknown as Http1Settings).closeIdleConnections()
    },
    close: async (signal) => {
      closing = true
      const closed = once(server, 'close')
      server.close()
      // Sends each client GOAWAY, so that it uses another connection. Streams under way go on.
      for (const session of sessions) session.close()
      const cut = (): void => {
        for (const socket of sockets) socket.destroy()
      }
      if (signal.aborted) cut()
      else signal.addEventListener('abort', cut, { once: true })
      await closed
      signal.removeEventListener('abort', cut)
      exchanges.accounts.close()
    },
  }
}

function secureContext({ cert, key }: ListenOptions['tls'], authorities: Authorities): SecureContextOptions {
  const ca = trustedBy(authorities)
  return { cert, key, minVersion: 'TLSv1.2', ...(ca.length === 0 ? {} : { ca }) }
}

/** Answers a request in plain HTTP as Go's server does. TLS has given up: the socket below it sends the answer. */
function refusePlain(socket: Socket & { readonly _parent?: Socket | null }): void {
  const raw = socket._parent
  if (!raw?.writable) return
  raw.on('error', () => {})
  raw.write('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
  raw.destroySoon()
}

function trackSessions(server: Http2SecureServer, log: Log): Set<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    let streams = 0
    session.on('stream', (stream) => {
      streams++
      stream.on('close', () => streams--)
    })
    session.on('close', () => sessions.delete(session))
    session.on('error', (error) => log.debug('session failed', { error: String(error) }))
    session.setLocalWindowSize(sessionWindowBytes)
    // Watches may be silent for longer.
    session.setTimeout(idleMs, () => {
      if (streams === 0) session.close()
    })
  })
  server.on('sessionError', (error) => log.debug('session failed', { error: String(error) }))
  return sessions
}

function trackSockets(server: Http2SecureServer): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return sockets
}
