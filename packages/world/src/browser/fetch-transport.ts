import { type HttpHeaders, type Transport, TransportError } from '../transport.ts'

/**
 * Sends requests to the server that the page came from. `same-origin` lets the browser present its TLS client certificate;
 * there are no cookies. Redirects are failures, because the token would follow them.
 */
export const fetchTransport: Transport = async ({ method, target, headers, body, signal }) => {
  const init: RequestInit = {
    ...{ method, signal, credentials: 'same-origin', cache: 'no-store', redirect: 'error' },
    headers: toFetch(headers),
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  }
  try {
    const response = await fetch(target, init)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.body === null ? new Uint8Array() : chunksOf(response.body.getReader()),
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw new TransportError(cause instanceof Error ? cause.message : String(cause), 'unknown', { cause })
  }
}

/** Browsers set their own user agent. */
function toFetch(headers: HttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (name === 'user-agent') return []
    return (typeof value === 'string' ? [value] : value).map((each) => [name, each])
  })
}

/** Not the stream's own iterator: older Safari has none. */
async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (cause) {
    throw new TransportError(cause instanceof Error ? cause.message : String(cause), 'unknown', { cause })
  } finally {
    // A reader that leaves early closes the connection: a watch has no other end.
    reader.cancel().catch(() => {})
  }
}
