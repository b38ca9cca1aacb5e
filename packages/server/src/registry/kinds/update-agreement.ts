import {
  type AgreementEntry,
  type AgreementStatus,
  type ApiObject,
  agreementName,
  badRequest,
  fieldForbidden,
  invalidObject,
  notFound,
  objectModified,
  type StorageAgreement,
} from '@strata/api'
import { equalJson } from '../../codec/index.ts'
import { type AgreementRecords, agreementKind, identityLeaseKey } from '../../coordination/index.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { Written } from '../write/write-object.ts'

/**
 * A client may take entries out of an agreement record, and who nobody sees, and nothing else: that is the collector's work
 * (rule 8), and an operator's. Each removal is guarded, in the same transaction, by the absence of that server's Lease, so that
 * no client can expel a live server by mistake. Everything derived is computed here, never believed.
 */
export async function updateAgreement(
  records: AgreementRecords,
  { definition }: ServedResource,
  name: string,
  object: ApiObject,
  signal: AbortSignal,
): Promise<Written> {
  const { spec, status } = object as Partial<StorageAgreement>
  if (!spec || !status?.servers) throw badRequest('spec and status.servers are required')
  // The body says which record is meant; it must be the one that the path names, and was authorized for.
  if (agreementName(spec) !== name)
    throw badRequest(`spec names the record ${agreementName(spec)}, not ${name}`)
  const wanted = status.servers
  const outcome = await records.change(
    // Where its objects are is known already, and not the client's to say.
    { group: spec.group, resource: spec.resource },
    ({ stored, entries }) => {
      if (!stored) throw notFound(definition, name)
      const { resourceVersion } = object.metadata
      if (resourceVersion !== String(stored.revision)) throw objectModified(definition, name)
      const removed = removedEntries(entries, wanted)
      if (!removed) {
        const error = fieldForbidden('status.servers', 'entries may only be removed; servers write their own')
        throw invalidObject(definition, name, [error])
      }
      return {
        entries: wanted,
        ...unseenOf(stored.record.status, status),
        guards: removed.map(({ serverID }) => ({
          key: identityLeaseKey(serverID),
          revision: 'absent' as const,
        })),
      }
    },
    signal,
  )
  if (outcome.outcome === 'overtaken') {
    const error = fieldForbidden('status.servers', 'a server may be removed only when its Lease is absent')
    throw invalidObject(definition, name, [error])
  }
  if (!outcome.stored) throw notFound(definition, name)
  const { record, revision } = outcome.stored
  return { value: agreementKind.encode(record), revision, created: false }
}

/**
 * Of servers without a Lease that were killed and will not be back nobody can say so but an operator (rule 18). A client
 * that says nothing of them leaves them; one that is taken out and lives puts itself in again.
 */
function unseenOf(
  { unseenProcesses: named = [] }: AgreementStatus,
  { unseenProcesses: wanted }: AgreementStatus,
): { unseen?: readonly string[] } {
  return wanted ? { unseen: named.filter((each) => wanted.includes(each)) } : {}
}

/** The entries that are missing in `wanted`, or undefined if anything else differs. */
function removedEntries(
  entries: readonly AgreementEntry[],
  wanted: readonly AgreementEntry[],
): AgreementEntry[] | undefined {
  const byId = new Map(entries.map((entry) => [entry.serverID, entry]))
  const kept = new Set<string>()
  for (const each of wanted) {
    if (!equalJson(byId.get(each.serverID), each) || kept.has(each.serverID)) return undefined
    kept.add(each.serverID)
  }
  return entries.filter(({ serverID }) => !kept.has(serverID))
}
