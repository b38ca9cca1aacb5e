export { agreementFacts } from './agreement-facts.ts'
export {
  type AgreementChange,
  AgreementRecords,
  type AgreementView,
  type HeldLease,
  storedAgreement,
} from './agreement-records.ts'
export { type CoordinationOptions, Coordinator, coordinationDefaults } from './coordinator.ts'
export * from './decide-agreement.ts'
export {
  type AfterBrokenGuard,
  decideBrokenGap,
  decideBrokenGuard,
  decideBrokenUnseen,
  type FenceView,
} from './decide-broken-guard.ts'
export { type ConsistencyFacts, decideConsistent } from './decide-consistent.ts'
export { type EmptinessFacts, provesEmpty } from './decide-forgetting.ts'
export type { GapCause } from './decide-gap.ts'
export type { PersistedProof } from './decide-persisted.ts'
export * from './decide-selection.ts'
export { decideWriteKey } from './decide-write-key.ts'
export { DocHashReporter } from './doc-hash-reporter.ts'
export { observeDocHashes } from './doc-hash-view.ts'
export { Fence } from './fence.ts'
export type { ForgetOutcome } from './forget-empty.ts'
export { DefinitionChanged, type Foundation } from './foundation.ts'
export * from './frozen-kinds.ts'
export { IdentityTaken } from './identity.ts'
export { isEveryoneHeard } from './is-everyone-heard.ts'
export { voicesForHolder } from './key-voices.ts'
export { type ProtocolRules, protocolRules } from './protocol-rules.ts'
export { nonceKey, nonceOf, recordGuards } from './record-nonce.ts'
export { serverId } from './server-id.ts'
export type { KeysOfResource, ServerKeys } from './server-keys.ts'
export { type SettleOutcome, settlePersisted } from './settle-persisted.ts'
export { unheardServers } from './unheard-servers.ts'
export { IdentityNotHeld, wantedChange } from './wanted-change.ts'
export type { RegistrationWitness } from './witness.ts'
export type { WriteGate, WritePermit, WriteTicket } from './write-gate.ts'
