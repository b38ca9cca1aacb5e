import type { Buffer } from 'node:buffer'
import {
  abortable,
  type BackoffPolicy,
  backoffMs,
  type Clock,
  deadline,
  integer,
  invariant,
  jitter,
  type Log,
  type Random,
  sleep,
} from '@strata/world'
import { OutcomeUnknown, StoreReplaced, StoreUnavailable } from '../errors.ts'
import { callUnary } from './call.ts'
import { classify, GRPC, OUT_OF_SPACE, RpcError, type Verdict } from './classify-error.ts'
import { decideCluster } from './decide-cluster.ts'
import { decodeClusterId, encodeRange, FIRST_KEY } from './etcd-messages.ts'
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

/** `always`: may be repeated after any failure, because a repeat has no effect. `once`: only if it certainly was not begun. */
export type Repeatable = 'always' | 'once'

interface Endpoint {
  readonly url: string
  /** The cluster id at the last connection; undefined if the endpoint could not be reached. */
  clusterId: number | undefined
  session: Session | undefined
  connecting: Promise<Session> | undefined
}

/**
 * The members of one etcd cluster. All calls go to one member until it fails, then to the next: one connection stays warm, and a
 * member that is down costs a delay once and not in every third call. The first member is chosen at random, so that the servers
 * of a fleet spread over the members.
 */
export class Cluster {
  readonly #options: ClusterOptions
  readonly #endpoints: readonly Endpoint[]
  readonly #closing = new AbortController()
  #current: number
  /** The id of the cluster in use. */
  #clusterId: number | undefined
  /** A replacement that `takeReplacement` has not returned yet. */
  #replacement: StoreReplaced | undefined

  constructor(options: ClusterOptions) {
    invariant(options.endpoints.length > 0, 'etcd needs at least one endpoint')
    this.#options = options
    this.#endpoints = options.endpoints.map((url) => ({
      ...{ url, clusterId: undefined, session: undefined, connecting: undefined },
    }))
    this.#current = integer(options.random, this.#endpoints.length)
  }

  /** Aborted when the cluster is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * The replacement of etcd by one with another cluster id; returned only once. The caller that connects first also gets an
   * error, but that may be the compactor, which cannot act on it.
   */
  takeReplacement(): StoreReplaced | undefined {
    const replacement = this.#replacement
    this.#replacement = undefined
    return replacement
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
      // A pending connection is closed when it is established.
      await endpoint.connecting?.then((session) => session.close()).catch(() => {})
    }
  }

  /** Returns the error if the call may be retried; otherwise throws the error for the caller. */
  #failed(error: unknown, index: number, repeatable: Repeatable, signal: AbortSignal): RpcError {
    if (!(error instanceof RpcError)) throw error
    if (this.closing.aborted) {
      if (error.sent && repeatable === 'once')
        throw new OutcomeUnknown('the store was closed', { cause: error })
      throw new StoreUnavailable('the store is closed', { cause: error })
    }
    const verdict: Verdict = classify(error)
    // A caller that gave up says nothing about the endpoint; the keepalive checks that.
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

  /**
   * The cluster of an endpoint is read before the endpoint is used, not from its answers: by then something may have been written
   * to the wrong one. Throws `StoreReplaced` if etcd was restored under another id (docs/design/agreement.md, rule 19).
   */
  async #identify(endpoint: Endpoint, session: Session): Promise<void> {
    const { log, clock, timing } = this.#options
    endpoint.clusterId = undefined
    const limit = deadline(clock, timing.connectMs, this.closing)
    try {
      const request = encodeRange({ key: FIRST_KEY, countOnly: true, serializable: true })
      const answer = await callUnary(session, '/etcdserverpb.KV/Range', request, limit.signal)
      endpoint.clusterId = decodeClusterId(answer)
    } catch (error) {
      session.close()
      const why = error instanceof Error ? error.message : String(error)
      throw new RpcError(
        GRPC.unavailable,
        `${endpoint.url} does not say which cluster it is of: ${why}`,
        false,
      )
    } finally {
      limit.dispose()
    }
    const id = endpoint.clusterId
    const others = this.#endpoints.filter((each) => each !== endpoint).map((each) => each.clusterId)
    switch (decideCluster(this.#clusterId, id, others)) {
      case 'known':
        this.#clusterId = id
        return
      case 'foreign': {
        session.close()
        const text = `${endpoint.url} belongs to another etcd cluster than the endpoints that were used before: correct --etcd-servers; after a restore from a backup all endpoints have to be up`
        log.error(text, { clusterId: id, before: this.#clusterId })
        throw new RpcError(GRPC.unavailable, text, false)
      }
      case 'replaced': {
        session.close()
        const before = this.#clusterId
        this.#clusterId = id
        this.#replacement = new StoreReplaced(`etcd has the cluster id ${id} and had ${before}`)
        throw this.#replacement
      }
    }
  }

  #moveOn(index: number, error: unknown): void {
    // If many calls fail at once on one endpoint, only the first moves the choice.
    if (this.#current !== index || this.closing.aborted) return
    this.#current = (index + 1) % this.#endpoints.length
    const [from, to] = [this.#endpoints[index]?.url, this.#endpoints[this.#current]?.url]
    const because = error instanceof Error ? error.message : String(error)
    if (from === to)
      this.#options.log.warn('etcd endpoint failed; trying it again', { endpoint: from, because })
    else this.#options.log.warn('etcd endpoint failed; trying the next one', { from, to, because })
  }

  async #session(index: number, signal: AbortSignal): Promise<Session> {
    const endpoint = this.#endpoints[index]
    invariant(endpoint, 'the choice of endpoint stays within their number')
    if (endpoint.session?.usable) return endpoint.session
    endpoint.session = undefined
    const { tls, clock, timing } = this.#options
    endpoint.connecting ??= Session.connect({ endpoint: endpoint.url, tls, clock, timing })
      .then(async (session) => {
        if (!this.closing.aborted) await this.#identify(endpoint, session)
        endpoint.session = session
        if (this.closing.aborted) session.close()
        return session
      })
      .finally(() => {
        endpoint.connecting = undefined
      })
    try {
      // Other callers may wait for the same connection, so it is made even if this one gives up.
      return await abortable(endpoint.connecting, signal)
    } catch (error) {
      if (error instanceof RpcError || error instanceof StoreReplaced) throw error
      throw new RpcError(GRPC.cancelled, 'cancelled while connecting', false, { cause: error })
    }
  }
}

function gaveUp(signal: AbortSignal, last: RpcError | undefined): StoreUnavailable {
  const because = last ? `; last: ${last.message}` : ''
  return new StoreUnavailable(`gave up before etcd could be asked${because}`, { cause: signal.reason })
}
