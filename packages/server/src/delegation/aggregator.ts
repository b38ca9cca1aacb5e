import { ApiError, type ApiObject, isStatus } from '@strata/api'
import {
  abortable,
  type Clock,
  DeadlineExceeded,
  deadline,
  type HttpResponse,
  type Random,
  readAll,
  retry,
  type Transport,
  TransportError,
  utf8,
} from '@strata/world'
import { responseProblem } from '../webhooks/index.ts'

export interface AggregatorOptions {
  /** Reaches the aggregator, and adds the credentials of this server. */
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** The address of the aggregator, for errors. */
  readonly url?: string
  /** For a request with all of its retries. Defaults to 10 s. */
  readonly timeoutMs?: number
}

/** The aggregator could not be asked, or its answer means nothing. */
export class AggregatorAway extends Error {
  override readonly name = 'AggregatorAway'
}

const policy = { firstMs: 200, maxMs: 2_000, attempts: 4 }

/** Sends requests to the aggregator. They change nothing there, so they are sent again after a failure that may pass. */
export class Aggregator {
  readonly #options: AggregatorOptions

  constructor(options: AggregatorOptions) {
    this.#options = options
  }

  /** Rejects with ApiError if the aggregator refuses, with AggregatorAway if it cannot be asked. */
  get<T extends ApiObject>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#send<T>('GET', path, undefined, signal)
  }

  post<T extends ApiObject>(path: string, object: T, signal?: AbortSignal): Promise<T> {
    return this.#send<T>('POST', path, utf8.encode(JSON.stringify(object)), signal)
  }

  async #send<T>(
    method: 'GET' | 'POST',
    path: string,
    body: Uint8Array | undefined,
    parent: AbortSignal | undefined,
  ): Promise<T> {
    const { clock, random, timeoutMs = 10_000, url = '' } = this.#options
    const limit = deadline(clock, timeoutMs, parent)
    const { signal } = limit
    try {
      const attempt = (): Promise<T> => abortable(this.#attempt<T>(method, path, body, signal), signal)
      return await retry({ clock, random }, policy, attempt, mayPass, signal)
    } catch (error) {
      parent?.throwIfAborted()
      if (error instanceof ApiError) throw error
      const verb = method === 'GET' ? 'Get' : 'Post'
      const why = error instanceof DeadlineExceeded ? 'context deadline exceeded' : messageOf(error)
      throw new AggregatorAway(`${verb} ${JSON.stringify(url + path)}: ${why}`, { cause: error })
    } finally {
      limit.dispose()
    }
  }

  async #attempt<T>(
    method: 'GET' | 'POST',
    path: string,
    body: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    const headers = {
      accept: 'application/json',
      ...(body ? { 'content-type': 'application/json' } : {}),
      'user-agent': 'strata-aggregated',
    }
    return readAnswer<T>(await this.#options.transport({ method, target: path, headers, body, signal }))
  }
}

async function readAnswer<T>({ status, headers, body }: HttpResponse): Promise<T> {
  const bytes = await readAll(body)
  const object = parsed(bytes)
  if (status >= 200 && status < 300) {
    if (typeof object === 'object' && object !== null) return object as T
    throw new Error('the answer is not an object in JSON')
  }
  if (isStatus(object)) throw new ApiError(status, object.reason ?? '', object.message ?? '', object.details)
  const type = String(headers['content-type'] ?? '')
  throw new ApiError(status, '', responseProblem(status, type, bytes) ?? `unexpected status ${status}`)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    // The answer of something in front of the aggregator.
    return undefined
  }
}

/** As upstream: the aggregator asks to wait, or a connection broke. One that is refused stays refused for a while. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return error.reached === 'unknown'
  if (!(error instanceof ApiError)) return false
  const { retryAfterSeconds } = error.status.details ?? {}
  return [429, 500, 504].includes(error.code) || retryAfterSeconds !== undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
