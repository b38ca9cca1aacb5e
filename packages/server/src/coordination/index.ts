export { type CoordinationOptions, Coordinator, coordinationDefaults } from './coordinator.ts'
export { type ConsistencyFacts, decideConsistent } from './discovery-consistency/decide-consistent.ts'
export { DocHashReporter } from './discovery-consistency/doc-hash-reporter.ts'
export { observeDocHashes } from './discovery-consistency/doc-hash-view.ts'
export { decideBrokenGap, decideBrokenGuard, decideBrokenUnseen } from './fence/decide-broken-guard.ts'
export { DefinitionChanged, type DefinitionGuard } from './fence/definition-guard.ts'
export { Fence } from './fence/fence.ts'
export type { WriteGate, WritePermit, WriteTicket } from './fence/write-gate.ts'
export * from './frozen-kinds.ts'
export { IdentityTaken } from './identity/identity.ts'
export { serverId } from './identity/server-id.ts'
export { decideWriteKey } from './keys/decide-write-key.ts'
export { isFleetComplete } from './keys/is-fleet-complete.ts'
export { statedKeysForHolder } from './keys/stated-keys.ts'
export { unregisteredServers } from './keys/unregistered-servers.ts'
export { type ProtocolRules, protocolRules } from './protocol-rules.ts'
export { agreementFacts } from './record/agreement-facts.ts'
export {
  type AgreementChange,
  AgreementRecords,
  type AgreementView,
  type HeldLease,
  storedAgreement,
} from './record/agreement-records.ts'
export * from './record/decide-agreement.ts'
export type { GapCause } from './record/decide-recording-gap.ts'
export * from './record/decide-selection.ts'
export { prunePersisted } from './record/prune-persisted.ts'
export { nonceKey, nonceOf, recordGuards } from './record/record-nonce.ts'
export type { RegistrationObserver } from './registration/registration-observer.ts'
export { IdentityNotHeld, wantedChange } from './registration/wanted-change.ts'
