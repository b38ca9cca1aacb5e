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
 * A client may only remove entries, and unseen servers, from an agreement record: the collector does so (rule 8), and operators.
 * The absence of the server's Lease guards each removal of an entry in the same transaction, so no client can expel a live
 * server by mistake.
 * Derived fields are computed here; the client's values are ignored.
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
  // The spec in the body must name the record of the path, which was authorized.
  if (agreementName(spec) !== name)
    throw badRequest(`spec names the record ${agreementName(spec)}, not ${name}`)
  const wanted = status.servers
  const outcome = await records.change(
    // The server knows where the objects are stored; the client cannot change that.
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
 * The unseen servers that the client keeps. Only an operator can know that a server without a Lease was killed for good (rule
 * 18). A client that sends none leaves them all; a live server that was removed adds itself again.
 */
function unseenOf(
  { unseenProcesses: named = [] }: AgreementStatus,
  { unseenProcesses: wanted }: AgreementStatus,
): { unseen?: readonly string[] } {
  return wanted ? { unseen: named.filter((each) => wanted.includes(each)) } : {}
}

/** The entries that `wanted` lacks, or undefined if anything else differs. */
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
