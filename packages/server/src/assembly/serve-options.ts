import type { Transport } from '@strata/world'
import type { AuditFlags } from '../audit/index.ts'
import type { FeatureGates } from '../configuration/index.ts'
import type { CoordinationOptions, ProtocolRules } from '../coordination/index.ts'
import type { ServiceAccountFlags } from '../credentials/index.ts'
import type { PublicFiles } from '../filters/index.ts'
import type { StoreChoice } from '../store/index.ts'
import type { AuthorizationMode } from './access-control.ts'
import type { FrontProxyFlags } from './front-proxy.ts'
import type { EncryptionFlags } from './open-encryption.ts'

/** The flags of `strata serve`. */
export interface ServeOptions extends ServiceAccountFlags, AuditFlags, EncryptionFlags, FrontProxyFlags {
  readonly store: StoreChoice
  readonly bindAddress: string
  readonly securePort: number
  /** The directory of the CA, the serving certificate and the tokens. Created on the first start. */
  readonly certDir: string
  readonly tokenAuthFile?: string | undefined
  readonly authorizationModes?: readonly AuthorizationMode[] | undefined
  /** Signs client certificates. Defaults to the fleet's own CA. */
  readonly clientCaFile?: string | undefined
  /** How many requests may be in flight, without watches. 0 is no limit. */
  readonly maxRequestsInflight?: number | undefined
  readonly maxMutatingRequestsInflight?: number | undefined
  /** The serving certificate and its key. Default to those of the certificate directory. */
  readonly tlsCertFile?: string | undefined
  readonly tlsPrivateKeyFile?: string | undefined
  /** Where the kubeconfig of the administrator is written to. */
  readonly kubeconfigOut?: string | undefined
  /** Reaches the aggregator. Makes this server an aggregated one. */
  readonly aggregator?: Transport | undefined
  /** The address of the aggregator, for errors. */
  readonly aggregatorUrl?: string | undefined
  /** The Service of an aggregated server, as `namespace/name`: its serving certificate is for that name, too. */
  readonly serviceName?: string | undefined
  /** Distinguishes servers on one host. Defaults to the port. */
  readonly instance?: string | undefined
  readonly release?: string | undefined
  /** Modules that export `resources`. */
  readonly resourceModules: readonly string[]
  readonly expectedServers?: number | undefined
  /** `--storage-version-coordination` and `--storage-version-guarantee`. Default to report and strict. */
  readonly form?: CoordinationOptions['form'] | undefined
  readonly guarantee?: CoordinationOptions['guarantee'] | undefined
  readonly leaseDurationSeconds?: number | undefined
  readonly renewIntervalSeconds?: number | undefined
  readonly shutdownDelayMs?: number | undefined
  readonly drainMs?: number | undefined
  readonly compactionMs?: number | undefined
  /** How long Events are kept. 0 keeps them for ever. */
  readonly eventTtlMs?: number | undefined
  readonly featureGates?: FeatureGates | undefined
  /** Which built-in groups, versions and resources are served. Defaults to all. */
  readonly runtimeConfig?: string | undefined
  /** Resources that are served even if this release cannot decode all of their stored objects. */
  readonly allowUndecodableStorage?: readonly string[] | undefined
  /** Adds the server process to each write, for audits of the history in tests. */
  readonly traceWriters?: boolean | undefined
  /**
   * Whether this server may collect expired identity Leases and the entries of their servers; one server of the fleet does
   * at a time. Defaults to true. Always off without the gates StorageVersionAPI and APIServerIdentity.
   */
  readonly collectsExpiredServers?: boolean | undefined
  /** Addresses of the services that webhooks and APIServices name: `namespace/name=https://host:port`. */
  readonly serviceAddresses?: readonly string[] | undefined
  /** What is served below `/dashboard`. Off by default. */
  readonly dashboard?: PublicFiles | undefined
  /** For tests that show the effect of a missing rule. */
  readonly rules?: ProtocolRules | undefined
}

/** How a server ended. */
export type ServeEnd =
  | { readonly end: 'stopped' }
  /** The server cannot go on, for example because another process has its identity. */
  | { readonly end: 'refused'; readonly why: string }
