import type { HttpRequest, HttpResponse } from '@strata/world'
import type { AuditTrail } from '../audit/index.ts'
import { isClientAnchor, type PeerAnchor, type User } from '../authentication/index.ts'
import type { RegisteredVersion } from '../discovery/index.ts'
import type { ServedResource } from '../registry/index.ts'
import type { LargeBodies } from './body/large-bodies.ts'
import type { YamlReader } from './body/yaml-reader.ts'

/** The parts of a request's path and method, before any lookup. */
export interface RequestInfo {
  readonly path: string
  readonly query: URLSearchParams
  readonly verb: string
  /** Undefined for paths outside of /api and /apis/…/…. */
  readonly target: ResourceTarget | undefined
}

export interface ResourceTarget {
  readonly group: string
  readonly versionName: string
  /** '' for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

/** A request on its way through filters and handlers. Each filter adds its result. */
export interface RequestContext {
  readonly request: ServerRequest
  readonly signal: AbortSignal
  readonly info: RequestInfo
  /** The resource that `info.target` names, found once when the request arrives; undefined if none is served there. */
  readonly resource: ServedResource | undefined
  /** The version of the path, if an APIService assigns it to another server. */
  readonly elsewhere?: RegisteredVersion | undefined
  readonly user: User | undefined
  readonly auditId: string
  /** Sent as Warning headers. Handlers add to it. */
  readonly warnings: string[]
  /** The audit trail, if there is a policy. */
  readonly audit?: AuditTrail
  /** Parses YAML on another thread if it is long. */
  readonly yaml: YamlReader
  /** Queues large bodies; absent where there are no other requests. */
  readonly largeBodies?: LargeBodies
}

/** A request as the server sees it. The body may not have arrived yet. */
export interface ServerRequest extends HttpRequest {
  /** Reads the body, up to a limit; absent if the whole body is there. */
  readonly readBody?: (limitBytes: number) => Promise<Uint8Array>
  /** The body as it arrives, for one reader; absent if there is none, or the whole body is there. */
  readonly bodyStream?: () => AsyncIterable<Uint8Array>
  /** Asks for another protocol: if the answer is 101, `bodyStream` is what the client sends in it. */
  readonly isUpgrade?: boolean
  /**
   * Names and values in turn, as received. In `headers`, repeated lines are joined by commas, which cannot be distinguished
   * from commas in a value.
   */
  readonly rawHeaders?: readonly string[]
  /** The address of the client or proxy at the other end of the connection. */
  readonly remoteAddress?: () => string
  /** Called when the user is known and not anonymous. */
  readonly onAuthenticated?: () => void
  /** Called when a request with a credential has to wait until the credential can be checked. */
  readonly onHeld?: () => void
  /** Called when the credential is invalid, or could not be checked in time. */
  readonly onUnauthenticated?: () => void
  /** The client certificate, if there is one. */
  readonly peer?: PeerCertificate
}

export interface PeerCertificate {
  /** The authority that the certificate chains to; valid, and for this use. With `none`, the other fields are only a claim. */
  readonly anchor: PeerAnchor
  /** The name of the user, or of the front proxy. */
  readonly commonName: string
  /** The names of the user's groups. */
  readonly organizations: readonly string[]
  /** Hexadecimal SHA-256 of the whole certificate. */
  readonly fingerprint?: string
}

/** Whether the certificate authenticates a user. */
export const isClient = (peer: PeerCertificate | undefined): boolean =>
  peer !== undefined && isClientAnchor(peer.anchor)

export type Handler = (context: RequestContext) => Promise<HttpResponse>

/** Handles one verb of a served resource. */
export type ResourceHandler = (
  context: RequestContext,
  resource: ServedResource,
  target: ResourceTarget,
) => Promise<HttpResponse>
