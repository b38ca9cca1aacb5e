import { decideUnseenNames } from '@strata/api'
import { decideConsistent } from './discovery-consistency/decide-consistent.ts'
import { decideBrokenGap, decideBrokenGuard, decideBrokenUnseen } from './fence/decide-broken-guard.ts'
import { decideViewAge } from './fence/loose-view.ts'
import { decideWriteKey } from './keys/decide-write-key.ts'
import { decideAgreement } from './record/decide-agreement.ts'
import { provesEmpty } from './record/decide-forgetting.ts'

/**
 * The protocol's decisions, handed in. There is one right set of them; the simulator swaps one at a time for a wrong one
 * and must notice (agreement.md: each rule ends with the interleaving that breaks the promise without it).
 *
 * Decisions only. What is done about them (guards, barriers, the order of a farewell) has no switch: a server that could be
 * told to write without its guard would be one flag away from data loss. The simulator breaks those rules from outside, at
 * the store, the clock and the process table that a server is given.
 */
export interface ProtocolRules {
  readonly decideAgreement: typeof decideAgreement
  /** Rule 3: what a server does when its guard on the record broke. */
  readonly decideBrokenGuard: typeof decideBrokenGuard
  /** Rule 18: what a server that does not record does when the record has moved. */
  readonly decideBrokenGap: typeof decideBrokenGap
  /** Rule 18: the same of one without an identity Lease. */
  readonly decideBrokenUnseen: typeof decideBrokenUnseen
  /** Rule 18: which names of earlier runs a server challenges, and removes. */
  readonly decideUnseenNames: typeof decideUnseenNames
  readonly decideConsistent: typeof decideConsistent
  /** Rule 14: whether a loose server may write by what it knows. */
  readonly decideViewAge: typeof decideViewAge
  /** Rule 17: a key is written under only when everyone reads it. */
  readonly decideWriteKey: typeof decideWriteKey
  /** Rule 17: a record forgets its keys only when nothing is stored, nor can be. */
  readonly provesEmpty: typeof provesEmpty
}

export const protocolRules: ProtocolRules = {
  decideAgreement,
  decideBrokenGuard,
  decideBrokenGap,
  decideBrokenUnseen,
  decideUnseenNames,
  decideConsistent,
  decideViewAge,
  decideWriteKey,
  provesEmpty,
}
