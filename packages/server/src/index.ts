export type { AggregationOptions } from './aggregation/index.ts'
export type { AuthorizationMode } from './assembly/access-control.ts'
export { clientAuthorities } from './assembly/client-authorities.ts'
export { frozenAmong } from './assembly/open-encryption.ts'
export type {
  AggregatedOptions,
  ServerOptions,
  StrataServer,
  TrustSource,
} from './assembly/server-options.ts'
export {
  RequestHeader,
  type RequestHeaderOptions,
  readSigningKey,
  readVerificationKeys,
  type ServiceAccountTokenOptions,
} from './authentication/index.ts'
export {
  builtInResources,
  ConfigurationProblem,
  defaultFeatureGates,
  type FeatureGates,
  knownApis,
} from './configuration/index.ts'
export {
  type AgreementRecords,
  agreementKind,
  ballotKind,
  type ConsistencyFacts,
  type CoordinationOptions,
  coordinationDefaults,
  decideAgreement,
  decideBrokenGuard,
  decideConsistent,
  decideSelection,
  decideWriteKey,
  docHashesKind,
  IdentityTaken,
  leaseKind,
  type ProtocolRules,
  protocolRules,
  serverId,
  storageVersionKind,
} from './coordination/index.ts'
export type { ClientTrust, ProxyTrust } from './delegation/index.ts'
export { type VersionInfo, versionInfo, versionInfoOf } from './discovery/index.ts'
export {
  Encryption,
  type EncryptionConfiguration,
  type KmsClient,
  loadCiphers,
  loadKms,
  parseConfiguration,
} from './encryption/index.ts'
export { type Authorities, type Listener, type ListenOptions, listen } from './http/index.ts'
export { createServer } from './server.ts'
export {
  parseServiceMappings,
  type ServicePort,
  type ServiceResolver,
} from './services/index.ts'
export { createWebhookClient, type WebhookClient } from './webhooks/index.ts'
