import type { ResourceDefinition } from '@strata/api'
import type { HttpRequest, HttpResponse, World } from '@strata/world'
import type { ServiceAccountTokenOptions, TokenLookup } from '../authentication/index.ts'
import type { FeatureGates } from '../configuration/index.ts'
import type { CoordinationOptions, Coordinator } from '../coordination/index.ts'
import type { ConversionFunction } from '../custom-resources/index.ts'
import type { Encryption, EncryptionConfiguration, ReloadNews } from '../encryption/index.ts'
import type { AuditOptions, InFlightLimits } from '../filters/index.ts'
import type { Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { WebhookClient } from '../webhooks/index.ts'
import type { AuthorizationMode } from './access-control.ts'

export interface ServerOptions {
  readonly world: World
  readonly store: Store
  /** Besides the built-in ones. */
  readonly resources?: readonly ResourceDefinition[] | undefined
  /** Of the built-in ones, those which the server has; all unless told otherwise. */
  readonly builtInResources?: readonly ResourceDefinition[] | undefined
  /** Which release of the kinds to play; undefined is the newest. */
  readonly release?: string | undefined
  readonly tokens: TokenLookup
  /** The same in every server of a fleet. Without it, tokens that this server signs are known to itself only. */
  readonly serviceAccountTokens?: ServiceAccountTokenOptions | undefined
  /** Who says what is allowed, besides the superusers, who may do everything; roles by default. */
  readonly authorizationModes?: readonly AuthorizationMode[] | undefined
  /** Whether to see to the default roles and bindings; true unless told otherwise. */
  readonly bootstrapPolicy?: boolean | undefined
  /** Whether to keep an APIService for every version that is served; true unless told otherwise. */
  readonly apiServices?: boolean | undefined
  readonly coordination: CoordinationOptions
  /** Which requests are written down, how much of them, and where. */
  readonly audit?: Omit<AuditOptions, 'toApiError'> | undefined
  /** Asks webhooks. Without it there is no way out of this server. */
  readonly webhooks?: WebhookClient | undefined
  /**
   * Functions that convert instances of custom resources between their versions, by the name of the definition: for
   * programs that embed the server, and instead of a webhook.
   */
  readonly conversions?: Readonly<Record<string, ConversionFunction>> | undefined
  /** How long events are kept; 0 keeps them for ever. */
  readonly eventTtlMs?: number | undefined
  /** How many requests may be under way at once. */
  readonly inFlight?: InFlightLimits | undefined
  readonly featureGates?: FeatureGates | undefined
  /** Whether to tell of changes of agreement as Events; not unless told to. */
  readonly agreementEvents?: boolean | undefined
  /** Which groups, versions and resources of the program are served; all unless told otherwise. */
  readonly runtimeConfig?: string | undefined
  /** Resources that are served even if this release cannot read all that is stored of them. */
  readonly allowUndecodableStorage?: readonly string[] | undefined
  /** Puts down with each write which server process made it: for audits of the history. */
  readonly traceWriters?: boolean | undefined
  /** With what is encrypted what is stored; nothing is unless told otherwise. */
  readonly encryption?: Encryption | undefined
  /** What became of the file that says so, where it may change while the server runs. */
  readonly encryptionNews?: (() => ReloadNews) | undefined
}

export interface StrataServer {
  /** Request in, answer out; no socket needed. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  readonly coordinator: Coordinator
  readonly cache: WatchCache
  readonly ready: boolean
  /** Puts another configuration of encryption in force, or says why it may not be (agreement.md, rule 17). */
  reloadEncryption(configuration: EncryptionConfiguration, signal: AbortSignal): Promise<string | undefined>
  /** Resolves when the server is ready to be written through. */
  start(signal: AbortSignal): Promise<void>
  /** Unready from now on, though requests are still served: load balancers look away. */
  drain(): void
  /** Unready, no new writes, writes in flight finish, entries go, the Lease goes (agreement.md, rule 7).
   *  True if all of that happened in time. */
  stop(drainMs: number): Promise<boolean>
}
