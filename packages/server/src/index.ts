export type { AuthorizationMode } from './access-control.ts'
export { builtInResources } from './built-in-resources.ts'
export {
  type AgreementRecords,
  agreementKind,
  type CoordinationOptions,
  coordinationDefaults,
  decideAgreement,
  decideBrokenGuard,
  IdentityTaken,
  leaseKind,
  type ProtocolRules,
  protocolRules,
  serverId,
  storageVersionKind,
} from './coordination/index.ts'
export { createServer, type ServerOptions, type StrataServer } from './server.ts'
