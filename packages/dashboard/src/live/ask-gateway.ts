import { ApiError, isStatus } from '@strata/api'
import { isSuccess } from '@strata/client'
import { type HttpRequest, readAll, type Transport, utf8 } from '@strata/world'

/** A session at the gateway. */
export interface GatewayAccess {
  readonly transport: Transport
  readonly token: string | undefined
}

/** Asks what serves the page for something of its own. Throws the reason if it is refused. */
export async function askGateway(
  { transport, token }: GatewayAccess,
  method: string,
  target: string,
  body: object | string | undefined,
  signal: AbortSignal,
) {
  const headers: HttpRequest['headers'] = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const sent =
    body === undefined ? {} : { body: utf8.encode(typeof body === 'string' ? body : JSON.stringify(body)) }
  const answer = await transport({ method, target, headers, ...sent, signal })
  if (isSuccess(answer)) return answer
  const text = utf8.decode(await readAll(answer.body))
  throw refusalIn(answer.status, text)
}

function refusalIn(status: number, text: string): ApiError {
  try {
    const value: unknown = JSON.parse(text)
    if (isStatus(value)) return new ApiError(status, value.reason ?? '', value.message ?? '')
  } catch {
    // Not JSON: an answer of something in between.
  }
  return new ApiError(status, '', text.slice(0, 500))
}
