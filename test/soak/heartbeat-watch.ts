import { type ClientHttp2Session, connect } from 'node:http2'
import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { Access } from '../support/serve-process.ts'
import { BeatLog } from './beat-log.ts'

/** All streams of this many watches share a connection, as those of one controller manager do. */
export const watchesPerConnection = 50

export interface WatchFigures {
  /** Events of all kinds. */
  readonly events: number
  readonly lastBeat: number
  /** Beats that were left out or came twice, though nothing had expired. */
  readonly gaps: readonly string[]
  readonly resumes: number
  /** The past was gone: it began again at the present. */
  readonly relists: number
  /** The longest time between two beats on one connection. */
  readonly longestSilenceMs: number
}

/** A connection that is opened again when it is gone. */
export class WatchConnection {
  readonly #access: () => Access
  #session: ClientHttp2Session | undefined

  constructor(access: () => Access) {
    this.#access = access
  }

  get token(): string {
    return this.#access().token
  }

  session(): ClientHttp2Session {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      const { url, ca } = this.#access()
      const made = connect(url, { ca })
      made.on('error', () => {})
      made.setMaxListeners(0)
      this.#session = made
    }
    return this.#session
  }

  close(): void {
    this.#session?.destroy()
  }
}

interface WatchEvent {
  readonly type: string
  readonly object: {
    readonly code?: number
    readonly metadata?: { readonly name?: string; readonly resourceVersion?: string }
    readonly data?: { readonly beat?: string }
  }
}

/** A watch that resumes after what it has seen, and knows whether it has seen every beat once and in order. */
export class HeartbeatWatch {
  readonly #connection: WatchConnection
  readonly #path: string
  readonly #signal: AbortSignal
  readonly #beats = new BeatLog()
  #events = 0
  #resumes = -1
  #relists = 0
  #longestSilenceMs = 0
  #beatAtMs: number | undefined
  #resourceVersion: string

  constructor(
    connection: WatchConnection,
    options: { readonly path: string; readonly resourceVersion: string; readonly signal: AbortSignal },
  ) {
    this.#connection = connection
    this.#path = options.path
    this.#resourceVersion = options.resourceVersion
    this.#signal = options.signal
  }

  get figures(): WatchFigures {
    return {
      ...{ events: this.#events, lastBeat: this.#beats.last, gaps: this.#beats.gaps },
      ...{ resumes: Math.max(0, this.#resumes), relists: this.#relists },
      longestSilenceMs: this.#longestSilenceMs,
    }
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      this.#resumes++
      this.#beatAtMs = undefined
      await this.#watch().catch(() => {})
      await sleep(nodeClock, 200, this.#signal).catch(() => {})
    }
  }

  #watch(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#resourceVersion}`
    const stream = this.#connection.session().request({
      ':path': `${this.#path}?${query}`,
      authorization: `Bearer ${this.#connection.token}`,
    })
    const end = (): void => void stream.destroy()
    this.#signal.addEventListener('abort', end, { once: true })
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('response', ({ ':status': status }) => {
      if (status === 410) this.#restart()
      if (status !== 200) end()
    })
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(JSON.parse(line) as WatchEvent)
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      this.#signal.removeEventListener('abort', end)
      resolve()
    })
    return promise
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      if (object.code === 410) this.#restart()
      return
    }
    this.#events++
    this.#resourceVersion = object.metadata?.resourceVersion ?? this.#resourceVersion
    if (object.metadata?.name !== 'heartbeat' || object.data?.beat === undefined) return
    this.#beats.take(Number(object.data.beat))
    const nowMs = nodeClock.monotonicMs()
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, nowMs - (this.#beatAtMs ?? nowMs))
    this.#beatAtMs = nowMs
  }

  /** From the present. */
  #restart(): void {
    this.#relists++
    this.#beats.restart()
    this.#resourceVersion = '0'
  }
}
