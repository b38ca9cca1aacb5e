import { deadline, type HttpBody, type HttpHeaders, OutboundError } from '@strata/world'
import { type Backend, discoveryPath, serverNameOf } from './backend.ts'
import { aggregator, type CheckParts, discoveryMs, hostOf } from './check-backend.ts'
import { userHeaders } from './proxy-headers.ts'
import { type RemoteResource, readAggregated, readLegacy } from './remote-discovery.ts'

/** The resources of a backend, and the ETag of the document that has them. */
export interface Discovered {
  readonly resources: readonly RemoteResource[]
  readonly etag: string | undefined
}

const maxBytes = 4 * 1024 * 1024
const aggregatedForm = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Reads the resources of an available backend: the aggregated document, else the legacy one. Undefined if it has neither. */
export async function fetchDiscovery(
  parts: CheckParts,
  backend: Backend,
  before: Discovered | undefined,
  signal: AbortSignal,
): Promise<Discovered | undefined> {
  const limit = deadline(parts.clock, discoveryMs, signal)
  try {
    const origin = await parts.resolveService(backend.service)
    if (origin === undefined) return undefined
    const get = (path: string, headers: HttpHeaders) =>
      read(parts, backend, { url: origin + path, headers, signal: limit.signal })
    const known = before?.etag === undefined ? {} : { 'if-none-match': before.etag }
    const answer = await get('/apis', { accept: aggregatedForm, ...known })
    if (answer.status === 304 && before) return before
    const resources = answer.status === 200 ? readAggregated(answer.document, backend) : undefined
    if (resources) return { resources, etag: answer.etag }
    const legacy = await get(discoveryPath(backend), { accept: 'application/json' })
    const found = legacy.status === 200 ? readLegacy(legacy.document, backend) : undefined
    return found && { resources: found, etag: undefined }
  } catch {
    signal.throwIfAborted()
    // Clients learn from `Stale` that the resources are unknown; the next check tries again.
    return undefined
  } finally {
    limit.dispose()
  }
}

async function read(
  { remote }: CheckParts,
  backend: Backend,
  { url, headers, signal }: { url: string; headers: HttpHeaders; signal: AbortSignal },
): Promise<{ status: number; document: unknown; etag: string | undefined }> {
  const { ca, isUnverified } = backend
  const response = await remote({
    ...{ method: 'GET', url, ca, isUnverified, serverName: serverNameOf(backend), signal },
    headers: { ...headers, ...hostOf(backend.service), ...userHeaders(aggregator) },
  })
  const text = await readLimited(response.body)
  const { etag } = response.headers
  return {
    status: response.status,
    document: response.status === 200 ? parsed(text) : undefined,
    etag: typeof etag === 'string' ? etag : undefined,
  }
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readLimited(body: HttpBody): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    length += chunk.length
    if (length > maxBytes) throw new OutboundError(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
