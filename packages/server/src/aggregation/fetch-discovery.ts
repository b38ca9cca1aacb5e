import { deadline, type HttpHeaders, utf8 } from '@strata/world'
import { type Backend, discoveryPath } from './backend.ts'
import { type CheckParts, discoveryMs } from './check-backend.ts'
import { getFromBackend } from './get-from-backend.ts'
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
    const get = (path: string, headers: HttpHeaders) =>
      getFromBackend(parts, backend, { path, headers, maxBytes, signal: limit.signal })
    const known = before?.etag === undefined ? {} : { 'if-none-match': before.etag }
    const answer = await get('/apis', { accept: aggregatedForm, ...known })
    if (answer?.status === 304 && before) return before
    const resources = answer && readAggregated(parsed(answer.body), backend)
    if (resources) return { resources, etag: answer.etag }
    const legacy = await get(discoveryPath(backend), { accept: 'application/json' })
    const found = legacy && readLegacy(parsed(legacy.body), backend)
    return found && { resources: found, etag: undefined }
  } catch {
    signal.throwIfAborted()
    // Clients learn from `Stale` that the resources are unknown; the next check tries again.
    return undefined
  } finally {
    limit.dispose()
  }
}

/** Undefined if it is not JSON. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    return undefined
  }
}
