import type { Buffer } from 'node:buffer'
import {
  abortable,
  type BackoffPolicy,
  backoffMs,
  type Clock,
  integer,
  invariant,
  jitter,
  type Log,
  type Random,
  sleep,
} from '@strata/world'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import { callUnary } from './call.ts'
import { classify, GRPC, OUT_OF_SPACE, RpcError, type Verdict } from './errors.ts'
import { type MessageStream, openStream } from './message-stream.ts'
import type { EtcdTls } from './open-socket.ts'
import { Session, type SessionTiming } from './session.ts'

export interface ClusterOptions {
  /** URLs, as in `--etcd-servers`: `https://10.0.0.1:2379`. */
  readonly endpoints: readonly string[]
  readonly tls: EtcdTls | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly timing: SessionTiming
  /** One attempt asks every endpoint once; the wait comes after each of them has failed. */
  readonly retry: BackoffPolicy
}

/**
 * A call that changes nothing, or nothing more when repeated, may be repeated whatever became of it; a
 * `once` call only if it certainly was not begun.
 */
export type Repeatable = 'always' | 'once'

interface Endpoint {
  readonly url: string
  session: Session | undefined
  connecting: Promise<Session> | undefined
}

/**
 * The members of one etcd cluster, any of which will do. All calls go to one of them until it fails, then to
 * the next: one connection stays warm, and a member that is down costs a delay once and not in every third
 * call. The first is drawn by lot, so that the servers of a fleet spread over the members.
 */
export class Cluster {
  readonly #options: ClusterOptions
  readonly #endpoints: readonly Endpoint[]
  readonly #closing = new AbortController()
  #current: number

  constructor(options: ClusterOptions) {
    invariant(options.endpoints.length > 0, 'etcd needs at least one endpoint')
    this.#options = options
    this.#endpoints = options.endpoints.map((url) => ({ url, session: undefined, connecting: undefined }))
    this.#current = integer(options.random, this.#endpoints.length)
  }

  /** Aborted when the cluster is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Throws `StoreUnavailable`, `OutcomeUnknown`, or an `RpcError` whose meaning depends on the call. */
  async call(path: string, frame: Buffer, repeatable: Repeatable, signal: AbortSignal): Promise<Buffer> {
    const { clock, random, retry } = this.#options
    const tries = retry.attempts * this.#endpoints.length
    let last: RpcError | undefined
    for (let count = 0; count < tries; count++) {
      if (this.closing.aborted) throw new StoreUnavailable('the store is closed')
      if (signal.aborted) throw gaveUp(signal, last)
      if (count > 0 && count % this.#endpoints.length === 0) {
        const delayMs = backoffMs(retry, count / this.#endpoints.length - 1)
        await sleep(clock, jitter(random, delayMs, 0.25), signal).catch(() => {})
        if (signal.aborted) throw gaveUp(signal, last)
      }
      const index = this.#current
      try {
        return await callUnary(await this.#session(index, signal), path, frame, signal)
      } catch (error) {
        last = this.#failed(error, index, repeatable, signal)
      }
    }
    throw new StoreUnavailable(`no endpoint of etcd could answer: ${last?.message}`, { cause: last })
  }

  /** Opens a stream on the current endpoint. Throws `RpcError`; the caller decides when to try again. */
  async stream(path: string, frame: Buffer, signal: AbortSignal): Promise<MessageStream> {
    const index = this.#current
    const session = await this.#session(index, signal)
    const stream = openStream(session, path, frame, signal)
    return {
      close: stream.close,
      next: async () => {
        try {
          return await stream.next()
        } catch (error) {
          this.#moveOn(index, error)
          throw error
        }
      },
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const endpoint of this.#endpoints) {
      endpoint.session?.close()
      // A connection that is being made is closed when it is there.
      await endpoint.connecting?.then((session) => session.close()).catch(() => {})
    }
  }

  /** Returns the error if the call may be tried again, and throws what the caller must know if not. */
  #failed(error: unknown, index: number, repeatable: Repeatable, signal: AbortSignal): RpcError {
    if (!(error instanceof RpcError)) throw error
    if (this.closing.aborted) {
      if (error.sent && repeatable === 'once')
        throw new OutcomeUnknown('the store was closed', { cause: error })
      throw new StoreUnavailable('the store is closed', { cause: error })
    }
    const verdict: Verdict = classify(error)
    // A caller who gave up says nothing about the endpoint; the keepalive judges that.
    if (!signal.aborted && (verdict === 'not-begun' || verdict === 'unknown')) this.#moveOn(index, error)
    switch (verdict) {
      case 'compacted':
      case 'future':
        throw error
      case 'overloaded':
      case 'rejected':
        throw new StoreUnavailable(`etcd refused: ${error.message}`, { cause: error })
      case 'out-of-space': {
        const options = { cause: error, fault: 'out-of-space' } as const
        if (repeatable === 'always') throw new StoreUnavailable(`${OUT_OF_SPACE}: ${error.message}`, options)
        throw new OutcomeUnknown(`the commit may have happened: ${OUT_OF_SPACE}: ${error.message}`, options)
      }
      case 'unknown':
        if (repeatable === 'once') {
          throw new OutcomeUnknown(`the commit may have happened: ${error.message}`, { cause: error })
        }
        return error
      case 'not-begun':
        return error
    }
  }

  #moveOn(index: number, error: unknown): void {
    // Of many calls that fail at once on one endpoint, only the first moves the choice.
    if (this.#current !== index || this.closing.aborted) return
    this.#current = (index + 1) % this.#endpoints.length
    const [from, to] = [this.#endpoints[index]?.url, this.#endpoints[this.#current]?.url]
    const because = error instanceof Error ? error.message : String(error)
    this.#options.log.warn('etcd endpoint failed', { from, to, because })
  }

  async #session(index: number, signal: AbortSignal): Promise<Session> {
    const endpoint = this.#endpoints[index]
    invariant(endpoint, 'the choice of endpoint stays within their number')
    if (endpoint.session?.usable) return endpoint.session
    endpoint.session = undefined
    const { tls, clock, timing } = this.#options
    endpoint.connecting ??= Session.connect({ endpoint: endpoint.url, tls, clock, timing })
      .then((session) => {
        endpoint.session = session
        if (this.closing.aborted) session.close()
        return session
      })
      .finally(() => {
        endpoint.connecting = undefined
      })
    try {
      // Others may wait for the same connection, so it is made even if this caller gives up.
      return await abortable(endpoint.connecting, signal)
    } catch (error) {
      if (error instanceof RpcError) throw error
      throw new RpcError(GRPC.cancelled, 'cancelled while connecting', false, { cause: error })
    }
  }
}

function gaveUp(signal: AbortSignal, last: RpcError | undefined): StoreUnavailable {
  const because = last ? `; last: ${last.message}` : ''
  return new StoreUnavailable(`gave up before etcd could be asked${because}`, { cause: signal.reason })
}
