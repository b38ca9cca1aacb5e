import type { AgreementEntry } from '@strata/api'
import type { Guard } from '../../store/index.ts'
import { type DefinitionGuard, guardOf } from '../fence/definition-guard.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import type { AgreementChange, AgreementView } from '../record/agreement-records.ts'
import { withEntry, withoutServers } from '../record/decide-agreement.ts'

/** Each removal is a guard, and a transaction takes only so many; the next change removes the rest. */
const removalsPerChange = 50

/** An entry may not be written without an identity (rule 1). */
export class IdentityNotHeld extends Error {
  override readonly name = 'IdentityNotHeld'
}

/**
 * Adds the own entry and removes entries of servers without a Lease (KEP-2339, "Updating StorageVersion"). The absence of the
 * Lease guards each removal, and the own Lease guards the own entry. So a late commit neither removes the entry of a server
 * that has come back, nor adds the entry of a server that was expelled.
 */
export function wantedChange(
  view: AgreementView,
  entry: AgreementEntry,
  definitionGuard: DefinitionGuard | undefined,
): Pick<AgreementChange, 'entries' | 'guards'> {
  const { serverID, process } = entry
  const mine = view.leases.get(serverID)
  if (mine?.holder !== process) throw new IdentityNotHeld('the identity Lease is not held')
  const isGone = (each: AgreementEntry): boolean => !view.leases.has(each.serverID)
  const gone = view.entries.filter(isGone).slice(0, removalsPerChange)
  return {
    entries: withEntry(
      withoutServers(view.entries, (each) => gone.includes(each)),
      entry,
    ),
    guards: [
      { key: identityLeaseKey(serverID), revision: mine.revision },
      // Rule 4: a server with an old view of the CRD may not publish its entry by it.
      ...(definitionGuard ? [guardOf(definitionGuard)] : []),
      ...gone.map((each): Guard => ({ key: identityLeaseKey(each.serverID), revision: 'absent' })),
    ],
  }
}
