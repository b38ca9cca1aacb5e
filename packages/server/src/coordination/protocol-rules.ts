import { decideUnseenNames } from '@strata/api'
import { decideConsistent } from './discovery-consistency/decide-consistent.ts'
import { decideBrokenGap, decideBrokenGuard, decideBrokenUnseen } from './fence/decide-broken-guard.ts'
import { decideViewAge } from './fence/loose-view.ts'
import { decideWriteKey } from './keys/decide-write-key.ts'
import { decideAgreement } from './record/decide-agreement.ts'
import { provesEmpty } from './record/decide-forgetting.ts'

/**
 * The decisions of the protocol, passed in. Production has one set of them. The simulator replaces one at a time by a wrong
 * one and must notice (agreement.md names, for each rule, the interleaving that breaks without it).
 *
 * Only decisions can be replaced. Guards, barriers and the order of leaving have no switch: otherwise a server would be one
 * flag away from data loss. The simulator breaks those rules from outside: at the store, the clock and the process table.
 */
export interface ProtocolRules {
  readonly decideAgreement: typeof decideAgreement
  /** Rule 3: what a server does when its guard on the record broke. */
  readonly decideBrokenGuard: typeof decideBrokenGuard
  /** Rule 18: what a server that does not record does when its guard on the record broke. */
  readonly decideBrokenGap: typeof decideBrokenGap
  /** Rule 18: the same for a server without an identity Lease. */
  readonly decideBrokenUnseen: typeof decideBrokenUnseen
  /** Rule 18: which names of earlier runs a server challenges, and removes. */
  readonly decideUnseenNames: typeof decideUnseenNames
  readonly decideConsistent: typeof decideConsistent
  /** Rule 14: whether the view of a loose server is fresh enough to write. */
  readonly decideViewAge: typeof decideViewAge
  /** Rule 17: the key that a server writes a resource under. */
  readonly decideWriteKey: typeof decideWriteKey
  /** Rule 17: a record forgets its keys only when nothing is stored, and no commit can still arrive. */
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
