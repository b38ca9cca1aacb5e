import { severalAtOnce } from '@strata/world'
import type { Store } from '../../store/index.ts'
import { agreementKind, agreementPrefix } from '../frozen-kinds.ts'
import type { AgreementRecords } from '../record/agreement-records.ts'
import { withoutServers } from '../record/decide-agreement.ts'

const atOnce = 8

/**
 * Removes the entries of one process from every record, also of resources that it does not serve. Only a restored store has
 * such entries (rule 19). Without this:
 *
 * 1. A serves a custom resource when the backup is made. Its CRD is deleted, and A removes its entry.
 * 2. The store is restored: the CRD and the entry of A are back.
 * 3. A is stopped before it has read that CRD. It removes the entries of what it serves, and then its Lease.
 * 4. The restored entry of A stands without a Lease (rule 7).
 */
export async function removeOwnEntries(
  { store, records }: { readonly store: Store; readonly records: AgreementRecords },
  process: string,
  signal: AbortSignal,
): Promise<void> {
  const isOwn = (entry: { readonly process: string }): boolean => entry.process === process
  const { entries } = await store.list({ prefix: agreementPrefix }, signal)
  const left = entries
    .map((entry) => agreementKind.decode(entry))
    .filter(({ status }) => status.servers.some(isOwn))
  await severalAtOnce(atOnce, left, async ({ spec }) => {
    await records.change(
      spec,
      (found) =>
        found.entries.some(isOwn) ? { entries: withoutServers(found.entries, isOwn), guards: [] } : undefined,
      signal,
    )
  })
}
