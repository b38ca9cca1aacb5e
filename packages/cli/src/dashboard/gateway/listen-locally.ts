import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '@strata/api'
import type { HttpRequest, HttpResponse, Log } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { answerError } from './answers.ts'
import type { GatewayRequest } from './gateway-request.ts'

export interface LocalListener {
  readonly port: number
  close(): Promise<void>
}

const loopback = '127.0.0.1'

/** Where to listen. */
export interface LocalPort {
  readonly port: number
  /** The flag that names the port, for errors. */
  readonly flag: string
  /** A given port is refused if it is taken; the default moves to the next free one. */
  readonly isGiven: boolean
}

const portsToTry = 100

/** Plain HTTP on the loopback interface: browsers treat it as secure, and nothing leaves the machine. */
export async function listenLocally(
  { port: first, flag, isGiven }: LocalPort,
  handle: (request: GatewayRequest) => Promise<HttpResponse>,
  log: Log,
): Promise<LocalListener> {
  const server = createServer(
    { maxHeaderSize: 64 * 1024, headersTimeout: 10_000, requestTimeout: 60_000, noDelay: true },
    (incoming, outgoing) => {
      exchange(incoming, outgoing, handle, log).catch((error: unknown) => {
        log.debug('a request of the dashboard ended early', { error: String(error) })
        outgoing.destroy()
      })
    },
  )
  server.maxConnections = 256
  // No other protocol is spoken here.
  server.on('upgrade', (_, socket: Socket) => socket.destroy())
  const last = isGiven || first === 0 ? first : first + portsToTry
  for (let port = first; ; port++) {
    const problem = await tryToListen(server, port)
    if (problem === undefined) break
    if (problem === 'EADDRINUSE' && isGiven)
      throw new CliError(
        `${flag} ${port}: the port is in use by another process; stop it, give another port, or leave out ${flag} to take the next free one`,
        exitCodes.usage,
      )
    if (problem !== 'EADDRINUSE' || port >= last)
      throw new CliError(
        `${flag} ${port}: the dashboard cannot listen there (${problem}); give another port, or 0 for any`,
        exitCodes.usage,
      )
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The code of the failure; undefined if it listens. */
function tryToListen(server: Server, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => resolve(error.code ?? String(error))
    server.once('error', onError)
    server.listen(port, loopback, () => {
      server.off('error', onError)
      resolve(undefined)
    })
  })
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: GatewayRequest) => Promise<HttpResponse>,
  log: Log,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('the page has gone'))
  })
  const request: GatewayRequest = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: incoming.headers as HttpRequest['headers'],
    readBody: (limitBytes) => readBody(incoming, limitBytes),
    signal: gone.signal,
  }
  const { status, headers, body } = await handle(request).catch((error: unknown) => {
    log.error('a request of the dashboard failed', { method: request.method, error: String(error) })
    return answerError(new ApiError(500, 'InternalError', 'the dashboard failed; the terminal shows why'))
  })
  // A body that was not read would be taken for the next request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close')
  if (body instanceof Uint8Array) {
    outgoing.writeHead(status, {
      ...flat(headers),
      ...(body.length > 0 ? { 'content-length': body.length } : {}),
    })
    outgoing.end(body)
    return
  }
  outgoing.writeHead(status, flat(headers))
  // A watch may be silent for long, and the page waits for the head.
  outgoing.flushHeaders()
  await pipeline(body, outgoing)
}

const flat = (headers: HttpResponse['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

async function readBody(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limitBytes)
      throw new ApiError(413, 'RequestEntityTooLarge', `the body is longer than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
