import {
  type Clock,
  DeadlineExceeded,
  deadline,
  type HttpBody,
  type HttpHeaders,
  type HttpResponse,
  OutboundError,
} from '@strata/world'
import type { User } from '../authentication/index.ts'
import { serverNameOf } from './backend.ts'
import { discoveryMs } from './check-backend.ts'
import type { FoundBackend } from './found-backend.ts'
import { requestHeaders, responseHeadersOf } from './proxy-headers.ts'

export interface PassedRequest {
  readonly method: string
  /** Path and query, as the client sent them. */
  readonly target: string
  readonly headers: HttpHeaders
  readonly body: HttpBody | undefined
  readonly user: User
  readonly auditId: string
  readonly remoteAddress: string | undefined
  readonly isUpgrade: boolean
  /** Undefined for watches and upgrades. */
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal
}

/** An answer of this server, as text. */
export interface Refusal {
  readonly status: number
  readonly text: string
}

const unavailable: Refusal = { status: 503, text: 'service unavailable\n' }
const tooMany: Refusal = { status: 429, text: 'Too many requests, please try again later.\n' }

/** Sends a request to the backend and returns its answer. Both bodies are streams that are read at the reader's pace. */
export async function passOn(
  found: FoundBackend | undefined,
  request: PassedRequest,
  clock: Clock,
): Promise<HttpResponse | Refusal> {
  const origin = found?.isAvailable ? await found.originOf() : undefined
  if (!found || origin === undefined) return unavailable
  const { timeoutMs, signal } = request
  const end = timeoutMs === undefined ? () => {} : found.begin()
  if (!end) return tooMany
  // Also over the body: otherwise a backend that sends nothing for ever would hold the request for ever.
  const limit = timeoutMs === undefined ? found.beginLong(signal) : deadline(clock, timeoutMs, signal)
  const done = (): void => {
    limit.dispose()
    end()
  }
  try {
    const response = await send(found, origin, request, limit.signal)
    if (!('body' in response) || response.body instanceof Uint8Array) {
      done()
      return response
    }
    return { ...response, body: until(response.body, done) }
  } catch (error) {
    done()
    signal.throwIfAborted()
    if (error instanceof OutboundError) return { status: 503, text: `${error.message}\n` }
    if (error instanceof DeadlineExceeded && isDiscovery(request)) {
      return { status: 503, text: 'context deadline exceeded\n' }
    }
    throw error
  }
}

async function send(
  { backend, host, send }: FoundBackend,
  origin: string,
  request: PassedRequest,
  signal: AbortSignal,
): Promise<HttpResponse | Refusal> {
  const { method, target, body, isUpgrade } = request
  const {
    status,
    headers,
    body: answer,
  } = await send({
    ...{
      method,
      url: origin + target,
      headers: requestHeaders({ ...request, host }),
      body,
      isUpgrade,
      signal,
    },
    ...{ ca: backend.ca, isUnverified: backend.isUnverified, serverName: serverNameOf(backend) },
  })
  const refused = decideRefusal(status, headers, isUpgrade)
  if (refused) {
    await abandon(answer)
    return refused
  }
  return { status, headers: responseHeadersOf(headers, status === 101), body: answer, isFinal: true }
}

/** Answers of a backend that are not passed on. */
export function decideRefusal(status: number, headers: HttpHeaders, isUpgrade: boolean): Refusal | undefined {
  // A client would follow the redirect with its credentials, to wherever the backend likes (CVE-2022-3172).
  if (status >= 300 && status <= 399 && headers['location'] !== undefined) {
    return { status: 502, text: 'the backend attempted to redirect this request, which is not permitted' }
  }
  // The backend did not change the protocol, and so the connection to it is no tunnel (CVE-2018-1002105).
  if (isUpgrade && status !== 101 && status < 400) {
    return { status: 503, text: `invalid upgrade response: status code ${status}\n` }
  }
  return undefined
}

/** As upstream: the document of a version is cheap, and everybody waits for it. */
const isDiscovery = ({ target }: Pick<PassedRequest, 'target'>): boolean =>
  /^\/apis\/[^/?]+\/[^/?]+\/?(?:\?|$)/.test(target)

export function decideTimeoutMs(request: Pick<PassedRequest, 'target'>, usualMs: number): number {
  return isDiscovery(request) ? Math.min(usualMs, discoveryMs) : usualMs
}

type Stream = Exclude<HttpBody, Uint8Array>

/** The same stream. `done` is called when it has ended, or no one reads it any more. */
function until(body: Stream, done: () => void): Stream {
  return {
    [Symbol.asyncIterator]: () => {
      const source = body[Symbol.asyncIterator]()
      return {
        next: () => {
          const next = source.next()
          next.then((result) => result.done && done(), done)
          return next
        },
        return: async () => {
          done()
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

async function abandon(body: HttpBody): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.()
}
