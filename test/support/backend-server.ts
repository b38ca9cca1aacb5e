import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Certificates } from './certificates.ts'

export const backendGroup = 'shop.example.dev'
const root = `/apis/${backendGroup}/v1`

/** What a backend has seen of a request. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headersDistinct']
  /** The name in the verified client certificate. */
  readonly client: string | undefined
}

/** An API server of another make, on the loopback: just enough of one for an aggregator. */
export class BackendServer {
  readonly origin: string
  readonly seen: Seen[] = []
  readonly #server: ReturnType<typeof createServer>
  readonly sockets: Set<Socket>
  /** Answers a path before the usual answers do; true if it has. */
  override: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean = () => false
  onUpgrade: (incoming: IncomingMessage, socket: Duplex) => void = (_, socket) => socket.destroy()
  /** Documents by path, each with an ETag. */
  readonly documents = new Map<string, string>()
  /** What `/apis` answers; 404 without it, as older servers do. */
  aggregated: unknown
  readonly resources: object[] = [
    {
      ...{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing' },
      ...{ verbs: ['create', 'get', 'list', 'watch'], storageVersionHash: 'aBcDeFg=' },
    },
    { name: 'things/exec', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] },
  ]

  private constructor(server: ReturnType<typeof createServer>, sockets: Set<Socket>) {
    this.#server = server
    this.sockets = sockets
    this.origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (incoming, outgoing) => this.#answer(incoming, outgoing))
    server.on('upgrade', (incoming, socket) => {
      this.#note(incoming)
      this.onUpgrade(incoming, socket)
    })
  }

  static async start({ serverCertFile, serverKeyFile, ca }: Certificates, port = 0): Promise<BackendServer> {
    const [cert, key] = await Promise.all([readFile(serverCertFile), readFile(serverKeyFile)])
    const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false })
    const sockets = new Set<Socket>()
    server.on('secureConnection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new BackendServer(server, sockets)
  }

  get port(): number {
    return Number(new URL(this.origin).port)
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.sockets) socket.destroy()
    await closed
  }

  #note(incoming: IncomingMessage): Seen {
    const { authorized, getPeerCertificate } = incoming.socket as TLSSocket
    const name = authorized ? getPeerCertificate.call(incoming.socket).subject?.CN : undefined
    const { method = '', url = '', headersDistinct: headers } = incoming
    const seen: Seen = { method, url, headers, client: name === undefined ? undefined : String(name) }
    this.seen.push(seen)
    return seen
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const seen = this.#note(incoming)
    if (this.override(incoming, outgoing)) return
    const path = seen.url.replace(/\?.*/, '')
    const json = (status: number, value: unknown, type = 'application/json'): void => {
      outgoing.writeHead(status, { 'content-type': type })
      outgoing.end(JSON.stringify(value))
    }
    if (path === '/apis' && this.aggregated !== undefined) {
      return json(
        200,
        this.aggregated,
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      )
    }
    const document = this.documents.get(path)
    if (document !== undefined) {
      const etag = `"${hash('sha256', document)}"`
      const isKnown = seen.headers['if-none-match']?.[0] === etag
      outgoing.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag })
      return void outgoing.end(isKnown ? undefined : document)
    }
    if (path === root) {
      const head = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${backendGroup}/v1` }
      return json(200, { ...head, resources: this.resources })
    }
    if (!path.startsWith(`${root}/`)) return json(404, { kind: 'Status', code: 404 })
    json(200, seen)
  }
}
