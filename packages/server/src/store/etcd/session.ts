import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '@strata/world'
import { GRPC, RpcError } from './classify-error.ts'
import { Keepalive, type KeepaliveTiming } from './keepalive.ts'
import { type EtcdTls, openSocket } from './open-socket.ts'

export interface SessionTiming extends KeepaliveTiming {
  readonly connectMs: number
}

export interface SessionOptions {
  readonly endpoint: string
  readonly tls: EtcdTls | undefined
  readonly clock: Clock
  readonly timing: SessionTiming
}

/** HTTP/2's defaults, 64 KiB per stream and for all, cost a round trip per 64 KiB of a long list. */
const STREAM_WINDOW_BYTES = 1 << 20
const SESSION_WINDOW_BYTES = 1 << 24

/** One HTTP/2 connection to one endpoint, from the peer's first sign of life to its end. */
export class Session {
  readonly #http2: ClientHttp2Session
  readonly #socket: Socket
  readonly #keepalive: Keepalive
  readonly #endpoint: string
  #draining: boolean = false
  #goawayCode: number | undefined
  #lost: Error | undefined

  private constructor(http2: ClientHttp2Session, socket: Socket, options: SessionOptions) {
    this.#http2 = http2
    this.#socket = socket
    this.#endpoint = options.endpoint
    this.#keepalive = new Keepalive(
      options.clock,
      options.timing,
      (answered) => {
        if (!http2.destroyed) http2.ping((error) => error === null && answered())
      },
      () => this.close(new Error('the peer does not answer pings')),
    )
    http2.on('goaway', (code) => {
      this.#draining = true
      this.#goawayCode = code
    })
    http2.on('close', () => {
      this.#draining = true
      this.#keepalive.stop()
    })
  }

  /**
   * Resolves once the peer has sent its settings. An accepted connection is no sign of life: the kernel accepts
   * for a stopped process, and a commit sent to it would be of unknown outcome for no need.
   */
  static connect(options: SessionOptions): Promise<Session> {
    const { endpoint, tls, clock, timing } = options
    return new Promise((resolve, reject) => {
      let session: Session | undefined
      // Declared before everything that may fail: an endpoint that is not a URL fails before they are assigned.
      let socket: Socket | undefined
      let http2: ClientHttp2Session | undefined
      const fail = (reason: string, cause?: Error): void => {
        cancel()
        const message = `cannot connect to etcd at ${endpoint}: ${reason}`
        reject(new RpcError(GRPC.unavailable, message, false, { cause }))
        http2?.destroy()
        socket?.destroy()
      }
      const onError = (error: Error): void => {
        if (session) session.#lost ??= error
        else fail(describe(error), error)
      }
      const cancel = clock.after(timing.connectMs, () => fail(`no answer within ${timing.connectMs} ms`))
      try {
        const opened = openSocket(endpoint, tls, onError)
        socket = opened
        const connection = connect(endpoint, {
          createConnection: () => opened,
          settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
        })
        http2 = connection
        connection.on('error', onError)
        connection.once('close', () => {
          if (!session) fail('the peer closed the connection')
        })
        connection.once('remoteSettings', () => {
          cancel()
          session = new Session(connection, opened, options)
          connection.setLocalWindowSize(SESSION_WINDOW_BYTES)
          resolve(session)
        })
      } catch (error) {
        fail(error instanceof Error ? describe(error) : String(error))
      }
    })
  }

  /** False once the peer has sent GOAWAY; open streams may still finish. */
  get usable(): boolean {
    return !this.#draining && !this.#http2.closed && !this.#http2.destroyed
  }

  /** The code of the peer's GOAWAY; undefined until it is received. */
  get goawayCode(): number | undefined {
    return this.#goawayCode
  }

  /** Opens a stream. Throws `RpcError`, not sent, if the connection has been lost meanwhile. */
  open(path: string): ClientHttp2Stream {
    if (!this.usable) throw this.lost(false)
    const stream = this.#http2.request(
      {
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        // Members that are cut off from the cluster answer with an error instead of waiting.
        hasleader: 'true',
      },
      { endStream: false },
    )
    this.#keepalive.streamOpened()
    stream.once('close', () => this.#keepalive.streamClosed())
    return stream
  }

  heard(): void {
    this.#keepalive.heard()
  }

  /** The error for a caller whose stream ended without an answer. */
  lost(sent: boolean, cause?: Error): RpcError {
    const why = this.#lost ?? cause
    const message = `lost the connection to etcd at ${this.#endpoint}${why ? `: ${describe(why)}` : ''}`
    return new RpcError(GRPC.unavailable, message, sent, { cause: why })
  }

  close(reason?: Error): void {
    this.#lost ??= reason
    this.#keepalive.stop()
    this.#http2.destroy()
    this.#socket.destroy()
  }
}

/** Node reports a refusal by several addresses as one error without a message. */
function describe(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors
      .map((each: unknown) => (each instanceof Error ? each.message : String(each)))
      .join('; ')
  }
  return error.message
}
