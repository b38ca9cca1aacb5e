import type { HttpRequest, HttpResponse } from '@strata/world'
import type { AuditTrail } from '../audit/index.ts'
import type { User } from '../authentication/index.ts'
import type { ServedResource } from '../registry/index.ts'
import type { LargeBodies } from './body/large-bodies.ts'
import type { YamlReader } from './body/yaml-reader.ts'

/** What the path and the method of a request say, before anything is looked up. */
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
  /** '' for cluster scope and for all namespaces. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

/** A request on its way through filters and handlers. Each filter adds what it is there for. */
export interface RequestContext {
  readonly request: ServerRequest
  readonly signal: AbortSignal
  readonly info: RequestInfo
  /** The resource that `info.target` names, found once when the request arrives; undefined if none is served there. */
  readonly resource: ServedResource | undefined
  readonly user: User | undefined
  readonly auditId: string
  /** What the client should know although the request succeeds; sent as Warning headers. Handlers add to it. */
  readonly warnings: string[]
  /** Where what happens is written down, if it is. */
  readonly audit?: AuditTrail
  /** Reads what would keep others waiting. */
  readonly yaml: YamlReader
  /** Whose turn it is to be looked at; absent where nobody else waits. */
  readonly largeBodies?: LargeBodies
}

/** A request as the server sees it: the body may still be on its way. */
export interface ServerRequest extends HttpRequest {
  /** Reads the body, up to a limit; absent where the whole body is there already. */
  readonly readBody?: (limitBytes: number) => Promise<Uint8Array>
  /**
   * Names and values in turn, as they came. In `headers`, what was sent in several lines is joined by commas, and
   * cannot be told from a value that has commas of its own.
   */
  readonly rawHeaders?: readonly string[]
  /** Of the other end of the connection, be it the client or a proxy. */
  readonly remoteAddress?: () => string
  /** Called when the request is known to come from a user who is not anonymous. */
  readonly onAuthenticated?: () => void
  /** Called when a request with a credential has to wait until that can be looked at. */
  readonly onHeld?: () => void
  /** Called when the credential has turned out to be none, or could not be looked at in time. */
  readonly onUnauthenticated?: () => void
  /** The certificate that the client has shown, if it has shown one. */
  readonly peer?: PeerCertificate
}

export interface PeerCertificate {
  /** Signed by an authority for clients, in time, and for this use. Everything else in here is a claim only. */
  readonly isTrusted: boolean
  /** The name of the user. */
  readonly commonName: string
  /** The names of the user's groups. */
  readonly organizations: readonly string[]
  /** Hexadecimal SHA-256 of the whole certificate. */
  readonly fingerprint?: string
}

export type Handler = (context: RequestContext) => Promise<HttpResponse>

/** A handler of one verb of a resource that is known to be served. */
export type ResourceHandler = (
  context: RequestContext,
  resource: ServedResource,
  target: ResourceTarget,
) => Promise<HttpResponse>
