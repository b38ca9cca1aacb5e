import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../transport.ts'
import { responseBody } from './response-body.ts'
import { responseHeaders } from './response-headers.ts'

export interface NodeTransportOptions {
  /** `https://host:port`, or `http://` for tests; a path is put before every target. */
  readonly server: string
  /** The CA bundle, in PEM. Defaults to the system trust store. */
  readonly ca?: string | Uint8Array | undefined
  /** Skips verification of the server's certificate. Requests may reach any server. */
  readonly isUnverified?: boolean | undefined
  /** The name that the certificate must contain. Defaults to the host of the address. */
  readonly serverName?: string | undefined
  readonly cert?: string | Uint8Array | undefined
  readonly key?: string | Uint8Array | undefined
  /** Sent as a bearer token unless the request brings its own authorization. */
  readonly token?: string | undefined
  /** Sent with every request that does not bring its own. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** `http://host:port` of a proxy: requests go through it, those over TLS by CONNECT. */
  readonly proxy?: string | undefined
  /** The path of a Unix socket: requests go there, and `server` only names the host in their headers. */
  readonly socketPath?: string | undefined
}

export interface NodeTransport extends Transport {
  /** Closes the connections that are kept for later requests. */
  close(): void
}

function createAgent(
  url: URL,
  { ca, cert, key, isUnverified = false, serverName, proxy }: NodeTransportOptions,
): HttpAgent {
  const pem = (value?: string | Uint8Array) => (typeof value === 'object' ? Buffer.from(value) : value)
  const proxyEnv = proxy === undefined ? {} : { proxyEnv: { http_proxy: proxy, https_proxy: proxy } }
  if (url.protocol === 'http:') return new HttpAgent({ keepAlive: true, ...proxyEnv })
  return new HttpsAgent({
    keepAlive: true,
    ...proxyEnv,
    ca: pem(ca),
    // As Go does, so as kubectl does: any certificate in the file is trusted, not only one that has signed itself.
    allowPartialTrustChain: true,
    ...(isUnverified ? { rejectUnauthorized: false } : {}),
    servername: serverName,
    cert: pem(cert),
    key: pem(key),
  })
}

/**
 * Whether bytes of the request may have left this machine. Node writes nothing before the connection
 * stands, and over TLS nothing before the server is verified; on a kept connection it writes at once.
 */
function trackReached(outgoing: ClientRequest, isTls: boolean): () => 'no' | 'unknown' {
  let reached: 'no' | 'unknown' = 'no'
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) reached = 'unknown'
    else socket.once(isTls ? 'secureConnect' : 'connect', () => (reached = 'unknown'))
  })
  return () => reached
}

export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const url = new URL(options.server)
  const isTls = url.protocol === 'https:'
  const agent = createAgent(url, options)
  const prefix = url.pathname.replace(/\/+$/, '')
  const authorization = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  const send = ({ method, target, headers, body, signal }: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const requestOptions: RequestOptions = {
        agent,
        method,
        // URL keeps the brackets of an IPv6 address, which a socket does not understand.
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        ...(options.socketPath === undefined ? {} : { socketPath: options.socketPath }),
        path: prefix + target,
        headers: {
          ...authorization,
          ...(options.headers as Record<string, string | string[]> | undefined),
          ...(body ? { 'content-length': String(body.length) } : {}),
          ...(headers as Record<string, string | string[]>),
        },
      }
      const outgoing = isTls ? httpsRequest(requestOptions) : httpRequest(requestOptions)
      const reached = trackReached(outgoing, isTls)
      const onAbort = (): void => {
        outgoing.destroy()
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      outgoing.once('close', () => signal.removeEventListener('abort', onAbort))
      // Stays for the whole life of the request: an error without a listener ends the process.
      outgoing.on('error', (cause) =>
        reject(new TransportError(`${method} ${url.origin}: ${cause.message}`, reached(), { cause })),
      )
      outgoing.once('response', (response) => {
        // A reader of the body gets the error through its iterator. Without a reader it does not matter.
        response.on('error', () => {})
        const status = response.statusCode ?? 0
        resolve({ status, headers: responseHeaders(response), body: responseBody(response, signal) })
      })
      outgoing.end(body)
    })

  return Object.assign(send, { close: () => agent.destroy() })
}
