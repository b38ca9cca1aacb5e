import type { AgreementEntry } from '@strata/api'
import type { Guard } from '../../store/index.ts'
import { type DefinitionGuard, guardOf } from '../fence/definition-guard.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import type { AgreementChange, AgreementView } from '../record/agreement-records.ts'
import { withEntry, withoutServers } from '../record/decide-agreement.ts'

/** Each removal is a guard, and a transaction takes only so many; the rest is for the next turn. */
const removalsPerChange = 50

/** An entry may not be written without an identity (rule 1). */
export class IdentityNotHeld extends Error {
  override readonly name = 'IdentityNotHeld'
}

/**
 * Own entry in; entries of servers whose Lease is absent out (seed 003, "Updating StorageVersion"). Each removal is guarded
 * by that absence and the own entry by its Lease, so that neither can be overtaken.
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
      // Rule 4: a server with an old view of the definition may not publish by it.
      ...(definitionGuard ? [guardOf(definitionGuard)] : []),
      ...gone.map((each): Guard => ({ key: identityLeaseKey(each.serverID), revision: 'absent' })),
    ],
  }
}
