import { isUnauthorized } from '@strata/client'
import {
  type Clock,
  DeadlineExceeded,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '@strata/world'
import { answerError, dataHeaders } from './answers.ts'
import { credentialsRefused, explainUpstream } from './explain-upstream.ts'
import type { GatewayRequest } from './gateway-request.ts'

/** The cluster behind the gateway. */
export interface Upstream {
  /** Sends with the credentials of the kubeconfig, and turns to the next server when one fails. */
  readonly transport: Transport
  /** Sends to the server that is used now, and to no other one. Not needed where `transport` ends what a frozen server answers. */
  readonly pin?: (() => Transport) | undefined
  readonly servers: number
  readonly clock: Clock
  /** How long a server may take to begin its answer if there is no other one to ask; 0 is no limit. */
  readonly answerMs?: number | undefined
}

/** As large as API servers accept. */
const bodyBytes = 3 * 1024 * 1024
/** Another server may answer sooner than one that is silent for so long. */
const oneServerMs = 5_000
/** A census reads every object of a kind. */
const defaultAnswerMs = 300_000

// Listed, not excluded: a header that is unknown here, such as Impersonate-User or X-Remote-User, could change who asks.
const PASSED_ON = ['accept', 'accept-encoding', 'content-type', 'if-none-match']
const PASSED_BACK = ['content-encoding', 'content-type', 'etag', 'retry-after', 'vary', 'warning']

/** Sends a request on, with the credentials of the kubeconfig. The answer is streamed at the pace of its reader. */
export async function passOn(request: GatewayRequest, upstream: Upstream): Promise<HttpResponse> {
  const { method, target, signal } = request
  const hasBody = !['GET', 'HEAD'].includes(method)
  const body = hasBody ? await request.readBody(bodyBytes) : undefined
  const headers = { ...pick(request.headers, PASSED_ON), 'user-agent': 'strata-dashboard' }
  try {
    const answer = await send({ method, target, headers, body, signal }, upstream)
    if (isUnauthorized(answer)) return answerError(credentialsRefused())
    return {
      status: answer.status,
      headers: { ...pick(answer.headers, PASSED_BACK), ...dataHeaders },
      body: answer.body,
    }
  } catch (error) {
    return answerError(explainUpstream(error))
  }
}

/** Waits for the head of the answer. A read is sent to the next server when one is silent; a write may have been done. */
export async function send(request: HttpRequest, upstream: Upstream): Promise<HttpResponse> {
  const { transport, servers, clock, answerMs = defaultAnswerMs } = upstream
  const tries = ['GET', 'HEAD'].includes(request.method) ? servers : 1
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(request, { transport, clock, limitMs: attempt < tries ? oneServerMs : answerMs })
    } catch (error) {
      if (!(error instanceof DeadlineExceeded) || attempt >= tries || request.signal.aborted) throw error
    }
  }
}

interface Attempt {
  readonly transport: Transport
  readonly clock: Clock
  readonly limitMs: number
}

/** The limit is for the head of the answer. Its body is read until the request itself is aborted. */
async function sendOnce(request: HttpRequest, { transport, clock, limitMs }: Attempt): Promise<HttpResponse> {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(request.signal.reason)
  if (request.signal.aborted) onAbort()
  else request.signal.addEventListener('abort', onAbort, { once: true })
  const onLimit = (): void => stop.abort(new DeadlineExceeded(`no answer within ${limitMs} ms`))
  const cancel = limitMs === 0 ? () => {} : clock.after(limitMs, onLimit)
  try {
    return await transport({ ...request, signal: stop.signal })
  } finally {
    cancel()
  }
}

function pick(
  headers: HttpRequest['headers'],
  names: readonly string[],
): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
