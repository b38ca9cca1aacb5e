import type { IncomingMessage } from 'node:http'
import type { HttpHeaders } from '../transport.ts'

export function responseHeaders(response: IncomingMessage): HttpHeaders {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, values = []] of Object.entries(response.headersDistinct)) {
    const [only] = values
    headers[name] = values.length === 1 && only !== undefined ? only : values
  }
  return headers
}
