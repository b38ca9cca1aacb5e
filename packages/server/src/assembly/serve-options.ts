import type { AuditFlags } from '../audit/index.ts'
import type { FeatureGates } from '../configuration/index.ts'
import type { CoordinationOptions, ProtocolRules } from '../coordination/index.ts'
import type { ServiceAccountFlags } from '../credentials/index.ts'
import type { StoreChoice } from '../store/index.ts'
import type { AuthorizationMode } from './access-control.ts'
import type { EncryptionFlags } from './open-encryption.ts'

/** The flags of `strata serve`. */
export interface ServeOptions extends ServiceAccountFlags, AuditFlags, EncryptionFlags {
  readonly store: StoreChoice
  readonly bindAddress: string
  readonly securePort: number
  /** Holds the authority, the serving certificate, the tokens; made on the first start. */
  readonly certDir: string
  readonly tokenAuthFile?: string | undefined
  readonly authorizationModes?: readonly AuthorizationMode[] | undefined
  /** Signs certificates of clients; the fleet's own authority by default. */
  readonly clientCaFile?: string | undefined
  /** How many requests may be under way at once, watches apart; 0 is no limit. */
  readonly maxRequestsInflight?: number | undefined
  readonly maxMutatingRequestsInflight?: number | undefined
  readonly kubeconfig?: string | undefined
  /** Distinguishes servers on one host; the port by default. */
  readonly instance?: string | undefined
  readonly release?: string | undefined
  /** Modules that export `resources`. */
  readonly resourceModules: readonly string[]
  readonly expectedServers?: number | undefined
  /** For `--storage-version-coordination` and `--storage-version-guarantee`; report and strict by default. */
  readonly form?: CoordinationOptions['form'] | undefined
  readonly guarantee?: CoordinationOptions['guarantee'] | undefined
  readonly leaseDurationSeconds?: number | undefined
  readonly renewIntervalSeconds?: number | undefined
  readonly shutdownDelayMs?: number | undefined
  readonly drainMs?: number | undefined
  readonly compactionMs?: number | undefined
  /** How long events are kept; 0 keeps them for ever. */
  readonly eventTtlMs?: number | undefined
  readonly featureGates?: FeatureGates | undefined
  /** Which groups, versions and resources of the program are served; all unless told otherwise. */
  readonly runtimeConfig?: string | undefined
  /** Resources that are served even if this release cannot read all that is stored of them. */
  readonly allowUndecodableStorage?: readonly string[] | undefined
  /** Puts down with each write which server process made it: for audits of the history. */
  readonly traceWriters?: boolean | undefined
  /**
   * Whether this server takes part in collecting expired identity Leases and the entries of their servers; one server of the
   * fleet does at a time. True unless told otherwise; never where the gates of agreement are off.
   */
  readonly collectsExpiredServers?: boolean | undefined
  /** Where the services are that webhooks stand behind: `namespace/name=https://host:port` (docs/webhooks.md). */
  readonly webhookServices?: readonly string[] | undefined
  /** For tests that show what a missing rule costs. */
  readonly rules?: ProtocolRules | undefined
}

/** How a server ended. */
export type ServeEnd =
  | { readonly end: 'stopped' }
  /** It may not go on: its identity belongs to another process. */
  | { readonly end: 'refused'; readonly why: string }
