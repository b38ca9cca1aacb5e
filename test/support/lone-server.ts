import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { StrataProcess, untilReady } from './serve-process.ts'
import { until } from './until.ts'

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

export interface WireAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export type Protocol = 'HTTP/1.1' | 'HTTP/2'

/** One server in a process of its own, over a store in memory, and clients that send exactly the given bytes. */
export class LoneServer {
  readonly port: number
  readonly ca: string
  readonly token: string
  readonly process: StrataProcess
  readonly #dataDir: string
  readonly #agent: Agent

  private constructor(process: StrataProcess, dataDir: string, port: number, ca: string, token: string) {
    this.process = process
    this.#dataDir = dataDir
    this.port = port
    this.ca = ca
    this.token = token
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: 64 })
  }

  static async start(name: string, more: readonly string[] = []): Promise<LoneServer> {
    const dataDir = await mkdtemp(join(tmpdir(), `strata-${name}-`))
    const [port = 0] = await freePorts(1)
    const flags = ['--store', 'memory', '--data-dir', dataDir, '--secure-port', String(port)]
    const process = new StrataProcess(name, ['serve', ...flags, ...more])
    const read = (file: string): Promise<string> =>
      until(`there is ${file}`, () => {
        assert.ok(process.running, process.output)
        return readFile(join(dataDir, 'pki', file), 'utf8').catch(() => undefined)
      })
    const ca = await read('ca.crt')
    const token = (await read('admin.token')).trim()
    await untilReady(process, { url: `https://127.0.0.1:${port}`, ca, token })
    return new LoneServer(process, dataDir, port, ca, token)
  }

  send(protocol: Protocol, asked: WireRequest): Promise<WireAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, ...asked.headers }
    return protocol === 'HTTP/2' ? this.#sendHttp2(asked, headers) : this.#sendHttp1(asked, headers)
  }

  #sendHttp1({ method, path, body }: WireRequest, headers: Record<string, string>): Promise<WireAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path }
    const outgoing = request({ ...options, headers: { ...length, ...headers } }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
    return promise
  }

  #sendHttp2({ method, path, body }: WireRequest, headers: Record<string, string>): Promise<WireAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
    const session = connect(`https://127.0.0.1:${this.port}`, { ca: this.ca })
    session.on('error', reject)
    const stream = session.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: body === undefined },
    )
    const chunks: Buffer[] = []
    let answered: IncomingHttpHeaders & { ':status'?: number | undefined } = {}
    stream.on('response', (head) => {
      answered = head
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    stream.on('end', () =>
      resolve({
        status: answered[':status'] ?? 0,
        headers: answered,
        text: Buffer.concat(chunks).toString('utf8'),
      }),
    )
    if (body !== undefined) stream.end(body)
    return promise.finally(() => session.destroy())
  }

  /** While `work` goes on, the server is asked over and over whether it lives; each time it must say so. */
  async staysAlive<T>(work: Promise<T>): Promise<T> {
    let done = false
    const end = (): void => {
      done = true
    }
    work.then(end, end)
    do {
      const { status, text } = await this.send('HTTP/1.1', { method: 'GET', path: '/livez' })
      assert.deepEqual([status, text], [200, 'ok'])
    } while (!done)
    return work
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    await this.process.terminate()
    await rm(this.#dataDir, { recursive: true, force: true })
  }
}
