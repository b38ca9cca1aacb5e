import { type HttpBody, type HttpHeaders, OutboundError } from '@strata/world'
import { type Backend, serverNameOf } from './backend.ts'
import { aggregator, type CheckParts, hostOf } from './check-backend.ts'
import { userHeaders } from './proxy-headers.ts'

export interface BackendAnswer {
  readonly status: number
  /** Empty unless the status is 200. */
  readonly body: Uint8Array
  readonly etag: string | undefined
}

export interface BackendQuestion {
  readonly path: string
  readonly headers: HttpHeaders
  /** A longer body is an error. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Reads a document of a backend, in the name of this server. Undefined if the backend has no address. */
export async function getFromBackend(
  { remote, resolveService }: CheckParts,
  backend: Backend,
  { path, headers, maxBytes, signal }: BackendQuestion,
): Promise<BackendAnswer | undefined> {
  const origin = await resolveService(backend.service)
  if (origin === undefined) return undefined
  const { ca, isUnverified } = backend
  const response = await remote({
    ...{ method: 'GET', url: origin + path, ca, isUnverified, serverName: serverNameOf(backend), signal },
    headers: { ...headers, ...hostOf(backend.service), ...userHeaders(aggregator) },
  })
  const body = await readLimited(response.body, maxBytes)
  const { etag } = response.headers
  return {
    status: response.status,
    body: response.status === 200 ? body : new Uint8Array(),
    etag: typeof etag === 'string' ? etag : undefined,
  }
}

async function readLimited(body: HttpBody, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    length += chunk.length
    if (length > maxBytes) throw new OutboundError(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
