import { severalAtOnce } from '@strata/world'
import type { Key, Store } from '../../store/index.ts'
import { agreementKind, agreementPrefix } from '../frozen-kinds.ts'
import type { AgreementRecords } from './agreement-records.ts'
import { withoutServers } from './decide-agreement.ts'
import type { GapCause } from './decide-recording-gap.ts'

const pageSize = 500
const atOnce = 8

/**
 * Puts a recording gap into every record, also of resources without a server (rules 18 and 19), and removes the entries of
 * the given process, which registers again afterwards. Otherwise: A serves a custom resource when the backup is made;
 * its CRD is deleted; the restore brings back the entry of A, and no CRD; A has nothing to register there, and its entry
 * stays.
 */
export async function noteGap(
  { store, records }: { readonly store: Store; readonly records: AgreementRecords },
  gap: GapCause,
  process: string,
  signal: AbortSignal,
): Promise<void> {
  const isOwn = (entry: { readonly process: string }): boolean => entry.process === process
  let after: Key | undefined
  for (;;) {
    const page = await store.list({ prefix: agreementPrefix, limit: pageSize, after }, signal)
    await severalAtOnce(atOnce, page.entries, async (entry) => {
      await records.change(
        agreementKind.decode(entry).spec,
        ({ stored, entries }) =>
          stored ? { entries: withoutServers(entries, isOwn), guards: [], gap } : undefined,
        signal,
      )
    })
    if (page.remaining === 0) return
    after = page.entries.at(-1)?.key
  }
}
