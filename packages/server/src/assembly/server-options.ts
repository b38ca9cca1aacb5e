import type { AnyResourceDefinition, ResourceDefinition } from '@strata/api'
import type { HttpRequest, HttpResponse, Transport, World } from '@strata/world'
import type { AggregationOptions } from '../aggregation/index.ts'
import type { RequestHeader, ServiceAccountTokenOptions, TokenLookup } from '../authentication/index.ts'
import type { FeatureGates } from '../configuration/index.ts'
import type { CoordinationOptions, Coordinator } from '../coordination/index.ts'
import type { ConversionFunction } from '../custom-resources/index.ts'
import type { ClientTrust } from '../delegation/index.ts'
import type { VersionInfo } from '../discovery/index.ts'
import type { Encryption, EncryptionConfiguration, ReloadStatus } from '../encryption/index.ts'
import type { AuditOptions, InFlightLimits, PublicFiles } from '../filters/index.ts'
import type { Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { WebhookClient } from '../webhooks/index.ts'
import type { AuthorizationMode } from './access-control.ts'

export interface ServerOptions {
  readonly world: World
  readonly store: Store
  /** Kinds besides the built-in ones. */
  readonly resources?: readonly AnyResourceDefinition[] | undefined
  /** The built-in kinds of this server. Defaults to all. */
  readonly builtInResources?: readonly ResourceDefinition[] | undefined
  /** The release whose kinds are served. Defaults to the newest. */
  readonly release?: string | undefined
  readonly tokens: TokenLookup
  /** The same for every server of a fleet. Without it, only this server accepts the tokens that it signs. */
  readonly serviceAccountTokens?: ServiceAccountTokenOptions | undefined
  /**
   * Front proxies that name the users of their requests. `peer.anchor` of a request says whether it comes from one. Off by
   * default.
   */
  readonly requestHeader?: RequestHeader | undefined
  /** What the ConfigMap extension-apiserver-authentication says to aggregated servers. Without it, it is not kept. */
  readonly clientTrust?: ClientTrust | undefined
  /** Superusers may do everything in every mode. Defaults to RBAC. */
  readonly authorizationModes?: readonly AuthorizationMode[] | undefined
  /** Whether to create the default roles and bindings. Defaults to true. */
  readonly bootstrapPolicy?: boolean | undefined
  /** Whether to keep an APIService for every served version. Defaults to true. */
  readonly apiServices?: boolean | undefined
  readonly coordination: CoordinationOptions
  /** The audit policy and log. Off by default. */
  readonly audit?: Omit<AuditOptions, 'toApiError'> | undefined
  /** Calls webhooks. Without it, every webhook call fails. */
  readonly webhooks?: WebhookClient | undefined
  /** Reaches the servers of APIServices. Without it, none of them is available. */
  readonly aggregation?: AggregationOptions | undefined
  /** Set for an aggregated server. */
  readonly aggregated?: AggregatedOptions | undefined
  /**
   * Functions that convert custom resources between versions, by the name of the CRD. For programs that embed the server,
   * instead of a conversion webhook.
   */
  readonly conversions?: Readonly<Record<string, ConversionFunction>> | undefined
  /** How long Events are kept. 0 keeps them for ever. */
  readonly eventTtlMs?: number | undefined
  /** How many requests may be in flight. */
  readonly inFlight?: InFlightLimits | undefined
  readonly featureGates?: FeatureGates | undefined
  /** Whether to create Events when the agreement of a resource changes. Off by default. */
  readonly agreementEvents?: boolean | undefined
  /** Which built-in groups, versions and resources are served. Defaults to all. */
  readonly runtimeConfig?: string | undefined
  /** What `/version` says. Defaults to the Kubernetes release whose API this server implements. */
  readonly version?: VersionInfo | undefined
  /** Resources that are served even if this release cannot decode all of their stored objects. */
  readonly allowUndecodableStorage?: readonly string[] | undefined
  /** Adds the server process to each write, for audits of the history in tests. */
  readonly traceWriters?: boolean | undefined
  /** What is served below `/dashboard`, without authentication. Off by default, and for an aggregated server. */
  readonly dashboard?: PublicFiles | undefined
  /** Encryption at rest. Off by default. */
  readonly encryption?: Encryption | undefined
  /** The state of the encryption file, if it is reloaded when it changes. */
  readonly encryptionNews?: (() => ReloadStatus) | undefined
}

/**
 * Makes the server one behind an aggregator, which it asks who its users are, what they may do, and which namespaces there are.
 * It serves the given kinds, what agreement needs, and in the group of each kind the storage resources: `storageagreements`,
 * `storagecensuses`, `storagereencodes`.
 */
export interface AggregatedOptions {
  /** Reaches the aggregator, with the credentials of this server. docs/aggregated-server.md names the rights that it needs. */
  readonly aggregator: Transport
  /** The address of the aggregator, for errors. */
  readonly url?: string | undefined
  /** Which client certificates count. The rest is read from the aggregator (ConfigMap `extension-apiserver-authentication`). */
  readonly trust?: ClientTrust | undefined
  /** Whether to show Leases and storage versions of the fleet in the aggregator (agreement.md, rule 15). Defaults to true. */
  readonly mirrors?: boolean | undefined
}

/** The client certificates that an aggregated server accepts. A program that opens sockets itself passes them to TLS. */
export interface TrustSource {
  readonly current: ClientTrust
  /** Why no request can come through the aggregator yet; undefined if one can. */
  readonly problem: string | undefined
  onChange: (trust: ClientTrust) => void
}

export interface StrataServer {
  /** Takes a request and returns the answer. Needs no socket. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** Whether a request for another protocol may be passed on: its version belongs to the server of an APIService. */
  readonly takesUpgrade: (target: string) => boolean
  readonly coordinator: Coordinator
  readonly cache: WatchCache
  /** Set for an aggregated server. */
  readonly trust: TrustSource | undefined
  readonly ready: boolean
  /** Puts another encryption configuration in force, or returns why it may not (agreement.md, rule 17). */
  reloadEncryption(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<string | undefined>
  /** Resolves when clients can write through the server. */
  start(signal: AbortSignal): Promise<void>
  /** Makes the server unready while it still serves requests, so that load balancers remove it. */
  drain(): void
  /**
   * Makes the server unready, refuses new writes, waits for writes in flight, removes its entries and its Lease
   * (agreement.md, rule 7). True if all of that happened in time.
   */
  stop(drainMs: number): Promise<boolean>
}
