import { type Clock, DeadlineExceeded, deadline, type Remote } from '@strata/world'
import type { ServiceResolver } from '../services/index.ts'
import { type Backend, discoveryPath, serverNameOf } from './backend.ts'
import type { Checked } from './decide-available.ts'
import { userHeaders } from './proxy-headers.ts'

export interface CheckParts {
  readonly clock: Clock
  readonly remote: Remote
  readonly resolveService: ServiceResolver
}

/** As upstream: discovery is cheap, so a backend that is slower than this does not work. */
export const discoveryMs = 5_000
/** Upstream's name for the aggregator; the group makes sure that it may read discovery. */
export const aggregator = { name: 'system:kube-aggregator', groups: ['system:masters'] } as const

/** Looks for the backend of an APIService and reads a document that it must have. */
export async function checkBackend(
  { clock, remote, resolveService }: CheckParts,
  backend: Backend,
  signal: AbortSignal,
): Promise<Checked> {
  const { service, ca, isUnverified } = backend
  const limit = deadline(clock, discoveryMs, signal)
  let url = ''
  try {
    const origin = await resolve(resolveService, backend)
    if (typeof origin !== 'string') return origin
    url = origin + discoveryPath(backend)
    const { status, body } = await remote({
      ...{ method: 'GET', url, ca, isUnverified, serverName: serverNameOf(backend), signal: limit.signal },
      headers: { accept: 'application/json, */*', ...hostOf(service), ...userHeaders(aggregator) },
    })
    await dropBody(body)
    return { found: 'status', url, status }
  } catch (error) {
    signal.throwIfAborted()
    return { found: 'no answer', url, why: reasonOf(error) }
  } finally {
    limit.dispose()
  }
}

async function resolve(resolveService: ServiceResolver, { service }: Backend): Promise<string | Checked> {
  try {
    const origin = await resolveService(service)
    if (origin !== undefined) return origin
    return { found: resolveService.hasService?.(service) ? 'no port' : 'no service' }
  } catch (error) {
    return { found: 'no lookup', why: error instanceof Error ? error.message : String(error) }
  }
}

export const hostOf = ({ namespace, name, port }: Backend['service']): { readonly host: string } => ({
  host: `${name}.${namespace}.svc:${port}`,
})

/** In Go's words for a client that has waited long enough. */
function reasonOf(error: unknown): string {
  if (error instanceof DeadlineExceeded)
    return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
  return error instanceof Error ? error.message : String(error)
}

/** Only the status counts. A short body is read, so that its connection can be used again. */
async function dropBody(body: Awaited<ReturnType<Remote>>['body']): Promise<void> {
  if (body instanceof Uint8Array) return
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > 64 * 1024) return
  }
}
