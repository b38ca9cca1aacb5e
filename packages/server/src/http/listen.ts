import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tooLarge } from '@strata/api'
import type { HttpBody, HttpRequest, HttpResponse, Log } from '@strata/world'
import type { ServerRequest } from '../handlers/index.ts'

export interface ListenOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string }
  readonly log: Log
}

export interface Listener {
  readonly port: number
  /** No new connections; requests under way are given until the signal to finish, then cut. */
  close(signal: AbortSignal): Promise<void>
}

/** Opens the socket in front of a server function. The only code that knows of sockets. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { handle, host, port, tls, log } = options
  const server = createServer(
    {
      ...tls,
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      // A client that sends its headers or its body a byte at a time may not hold a connection for ever.
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 90_000,
    },
    (request, response) => {
      serve(handle, request, response).catch((error: unknown) => {
        log.debug('a response was cut', { error: String(error) })
        response.destroy()
      })
    },
  )
  server.on('tlsClientError', (error) => log.debug('TLS handshake failed', { error: String(error) }))
  const sockets = track(server)
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async (signal) => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const cut = (): void => {
        for (const socket of sockets) socket.destroy()
      }
      if (signal.aborted) cut()
      else signal.addEventListener('abort', cut, { once: true })
      await closed
      signal.removeEventListener('abort', cut)
    },
  }
}

function track(server: Server): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return sockets
}

async function serve(
  handle: ListenOptions['handle'],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('the client has gone away'))
  })
  const request: ServerRequest = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: incoming.headers as HttpRequest['headers'],
    readBody: (limitBytes) => readBody(incoming, limitBytes),
    signal: gone.signal,
  }
  const { status, headers, body } = await handle(request)
  if (body instanceof Uint8Array) {
    outgoing.writeHead(status, { ...headers, 'content-length': body.length } as Record<
      string,
      string | number
    >)
    outgoing.end(body)
    return
  }
  outgoing.writeHead(status, headers as Record<string, string>)
  // A watch may have nothing to say for long; its client waits for the headers.
  outgoing.flushHeaders()
  await stream(body, outgoing, gone.signal)
}

/** At the reader's pace: the next chunk is asked for when the last one has been taken. */
async function stream(
  body: Exclude<HttpBody, Uint8Array>,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of body) {
    if (signal.aborted) return
    if (!outgoing.write(chunk)) await drained(outgoing, signal)
    if (signal.aborted) return
  }
  outgoing.end()
}

function drained(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    outgoing.once('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

async function readBody(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(incoming.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      // What comes after that is read and forgotten: a destroyed socket could not carry the answer.
      if (length > limitBytes) reject(tooLarge(limitBytes))
      else chunks.push(chunk)
    })
    incoming.on('end', () => {
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks))
    })
    incoming.on('error', reject)
  })
}
