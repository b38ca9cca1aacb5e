export type { AuthorizationMode } from './access-control.ts'
export {
  readSigningKey,
  readVerificationKeys,
  type ServiceAccountTokenOptions,
} from './authentication/index.ts'
export { builtInResources } from './built-in-resources.ts'
export { ConfigurationProblem } from './configuration-problem.ts'
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
export {
  Encryption,
  type EncryptionConfiguration,
  type KmsClient,
  loadCiphers,
  loadKms,
  parseConfiguration,
} from './encryption/index.ts'
export { defaultFeatureGates, type FeatureGates } from './feature-gates.ts'
export { frozenAmong } from './open-encryption.ts'
export { createServer } from './server.ts'
export type { ServerOptions, StrataServer } from './server-options.ts'
export {
  createWebhookClient,
  parseServiceMappings,
  type ServiceResolver,
  type WebhookClient,
  type WebhookService,
} from './webhooks/index.ts'
