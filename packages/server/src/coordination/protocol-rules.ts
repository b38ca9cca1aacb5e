import { decideAgreement } from './decide-agreement.ts'
import { decideBrokenGap } from './decide-broken-guard.ts'
import { decideConsistent } from './decide-consistent.ts'
import { decideWriteKey } from './decide-write-key.ts'
import { type FenceRules, fenceRules } from './fence-rules.ts'

/**
 * The protocol's decisions, handed in. There is one right set of them; the simulator swaps one at a time
 * for a wrong one and must notice (agreement.md: each rule ends with the interleaving that breaks the
 * promise without it).
 */
export interface ProtocolRules extends FenceRules {
  readonly decideAgreement: typeof decideAgreement
  /** Rule 18: what a server that does not record does when the record has moved. */
  readonly decideBrokenGap: typeof decideBrokenGap
  readonly decideConsistent: typeof decideConsistent
  /** Rule 1: a Lease that someone holds is watched before it is taken. */
  readonly watchHolder: boolean
  /** Rule 1: entries of the process before go first. */
  readonly removeOldEntries: boolean
  /** Rule 1: an entry is stored only under the Lease that its process holds. */
  readonly guardIdentity: boolean
  /** Rule 7: writes in flight finish before entries go. */
  readonly drainWrites: boolean
  /** Rule 7: the Lease goes after the entries. */
  readonly leaseGoesLast: boolean
  /** Rule 2 broken: writes are let through before the entry is stored. */
  readonly openGateUnregistered: boolean
  /** Rule 5: a no-op is confirmed by the store. */
  readonly confirmNoOps: boolean
  /** Rule 6: reads pass the barrier. */
  readonly readBarrier: boolean
  /** An unknown outcome is reported as unknown. */
  readonly reportUnknown: boolean
  /** Rule 4: the entry of a custom resource is published under its definition. */
  readonly guardPublication: boolean
  /** Rule 17: a key is written under only when everyone reads it. */
  readonly decideWriteKey: typeof decideWriteKey
  /** A batch that is written again is guarded by the record in which its epoch stands. */
  readonly guardEpoch: boolean
  /** A census reads the record again when it has read everything. */
  readonly confirmCensus: boolean
  /** Names of custom resources are decided one after the other, whichever server decides. */
  readonly namesInTurn: boolean
}

export const protocolRules: ProtocolRules = {
  ...fenceRules,
  decideAgreement,
  decideBrokenGap,
  decideConsistent,
  watchHolder: true,
  removeOldEntries: true,
  guardIdentity: true,
  drainWrites: true,
  leaseGoesLast: true,
  openGateUnregistered: false,
  confirmNoOps: true,
  readBarrier: true,
  reportUnknown: true,
  guardPublication: true,
  decideWriteKey,
  guardEpoch: true,
  confirmCensus: true,
  namesInTurn: true,
}
