import {
  type Clock,
  deadline,
  type HttpResponse,
  readAll,
  type Transport,
  TransportError,
  utf8,
} from '@strata/world'
import { errorOfAnswer, isSuccess, MalformedAnswer } from './errors.ts'

export interface ConnectionOptions {
  readonly transport: Transport
  /** A bearer token. */
  readonly token?: string
  readonly userAgent?: string
  /**
   * How long a whole answer may take; watches have no limit. A frozen server accepts every request and fails none. Without
   * a limit, the caller would hang on it for ever, beside servers that are healthy.
   */
  readonly answerLimit?: AnswerLimit
  /** Reads the JSON of an answer. Default: `JSON.parse`, which loses digits of integers beyond 2^53. */
  readonly parse?: (text: string) => unknown
}

export interface AnswerLimit {
  readonly clock: Clock
  readonly answerMs: number
  /** For requests whose answer may take many minutes. Default: the caller sets a deadline of its own. */
  readonly longAnswerMs?: number
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The body as text, sent as it is, in place of `body`. */
  readonly text?: string
  /** The media type of the body; JSON by default. */
  readonly contentType?: string
  /** The media types that the answer may have, by preference. */
  readonly accept?: string
  /** The answer may take many minutes: `longAnswerMs` is its limit, if it is set. */
  readonly isLong?: boolean
}

/**
 * Sends one request. An answer that is not a success becomes an `ApiError`. A request without an answer throws the
 * transport's `TransportError`, which says whether the server may have acted.
 */
export async function sendRequest(
  { transport, token, userAgent = 'strata' }: ConnectionOptions,
  {
    method,
    path,
    query = {},
    body,
    text,
    contentType = 'application/json',
    accept = 'application/json',
  }: ApiRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted()
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value)
  const search = parameters.toString()
  const response = await transport({
    method,
    target: search === '' ? path : `${path}?${search}`,
    headers: {
      accept,
      'user-agent': userAgent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(content === undefined ? {} : { 'content-type': contentType }),
    },
    ...(content === undefined ? {} : { body: utf8.encode(content) }),
    signal,
  })
  if (isSuccess(response)) return response
  const retryAfter = response.headers['retry-after']
  const answer = utf8.decode(await readAll(response.body))
  throw errorOfAnswer(response.status, answer, typeof retryAfter === 'string' ? retryAfter : undefined)
}

export async function requestText(
  options: ConnectionOptions,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<string> {
  const { answerLimit } = options
  const limitMs = request.isLong ? answerLimit?.longAnswerMs : answerLimit?.answerMs
  if (!answerLimit || limitMs === undefined) return wholeAnswer(options, request, signal)
  const limit = deadline(answerLimit.clock, limitMs, signal)
  try {
    return await wholeAnswer(options, request, limit.signal)
  } catch (cause) {
    if (signal.aborted || !limit.signal.aborted) throw cause
    throw new TransportError(`no answer within ${limitMs / 1000} s`, 'unknown', { cause })
  } finally {
    limit.dispose()
  }
}

async function wholeAnswer(
  options: ConnectionOptions,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<string> {
  const { body } = await sendRequest(options, request, signal)
  return utf8.decode(await readAll(body))
}

export async function requestJson<T>(
  options: ConnectionOptions,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<T> {
  const { parse = JSON.parse } = options
  const text = await requestText(options, request, signal)
  try {
    return parse(text) as T
  } catch (cause) {
    const start = JSON.stringify(text.slice(0, 200))
    throw new MalformedAnswer(`${request.method} ${request.path}: not JSON: ${start}`, { cause })
  }
}
