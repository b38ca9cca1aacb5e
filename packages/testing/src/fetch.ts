import type { HttpHeaders, HttpResponse, Transport } from '@strata/world'

/** The global `fetch`, answered by a transport. */
export function fetchBy(transport: Transport, token: string) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    if (!path.startsWith('/')) throw new TypeError(`fetch(${JSON.stringify(path)}): the path begins with /`)
    const request = new Request(new URL(path, 'https://cluster.invalid'), init)
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const { pathname, search } = new URL(request.url)
    const response = await transport({
      method: request.method,
      target: `${pathname}${search}`,
      headers: { authorization: `Bearer ${token}`, ...Object.fromEntries(request.headers) },
      body,
      signal: request.signal,
    })
    return new Response(bodyOf(response), { status: response.status, headers: headersOf(response.headers) })
  }
}

/** These answers have no body, and `Response` refuses one. */
const withoutBody = [204, 205, 304]

function bodyOf({ status, body }: HttpResponse): ReadableStream | Uint8Array<ArrayBuffer> | null {
  if (withoutBody.includes(status)) return null
  return body instanceof Uint8Array ? new Uint8Array(body) : ReadableStream.from(body)
}

function headersOf(headers: HttpHeaders): Headers {
  const found = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) found.append(name, each)
  }
  return found
}
