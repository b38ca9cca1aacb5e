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
   * How long the whole of an answer may take; watches are not meant. A frozen server takes every request and fails none:
   * were one of them waited for without end, whoever asked would stand still for ever beside servers that are well.
   */
  readonly patience?: { readonly clock: Clock; readonly answerMs: number }
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The body as it is to be sent, in the place of one that is made here. */
  readonly text?: string
  /** What the body is; JSON unless told otherwise. */
  readonly contentType?: string
  /** The forms that the answer may have, by preference. */
  readonly accept?: string
  /** The answer may take many minutes: whoever asks has set a limit of its own. */
  readonly isLong?: boolean
}

/**
 * Sends one request. An answer that is not a success becomes an `ApiError`; a request without an answer stays
 * the transport's `TransportError`, which says whether the server may have acted.
 */
export async function ask(
  { transport, token, userAgent = 'strata' }: ConnectionOptions,
  {
    method,
    path,
    query = {},
    body,
    text,
    contentType = 'application/json',
    accept = 'application/json',
  }: Ask,
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
  const said = utf8.decode(await readAll(response.body))
  throw errorOfAnswer(response.status, said, typeof retryAfter === 'string' ? retryAfter : undefined)
}

export async function askText(
  options: ConnectionOptions,
  request: Ask,
  signal: AbortSignal,
): Promise<string> {
  const { patience } = options
  if (!patience || request.isLong) return wholeAnswer(options, request, signal)
  const limit = deadline(patience.clock, patience.answerMs, signal)
  try {
    return await wholeAnswer(options, request, limit.signal)
  } catch (cause) {
    if (signal.aborted || !limit.signal.aborted) throw cause
    throw new TransportError(`no answer within ${patience.answerMs / 1000} s`, 'unknown', { cause })
  } finally {
    limit.dispose()
  }
}

async function wholeAnswer(options: ConnectionOptions, request: Ask, signal: AbortSignal): Promise<string> {
  const { body } = await ask(options, request, signal)
  return utf8.decode(await readAll(body))
}

export async function askJson<T>(options: ConnectionOptions, request: Ask, signal: AbortSignal): Promise<T> {
  const text = await askText(options, request, signal)
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    const start = JSON.stringify(text.slice(0, 200))
    throw new MalformedAnswer(`${request.method} ${request.path}: not JSON: ${start}`, { cause })
  }
}
