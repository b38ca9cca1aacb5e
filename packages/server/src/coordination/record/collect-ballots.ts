import {
  type AgreementStatus,
  groupResourceText,
  type StorageAgreement,
  unrecordedEncoding,
} from '@strata/api'
import type { Log } from '@strata/world'
import { storageRoot } from '../../codec/index.ts'
import { readOne, type Store } from '../../store/index.ts'
import type { WatchCache } from '../../watch-cache/index.ts'
import { agreementKey, agreementKind, agreementPrefix } from '../frozen-kinds.ts'
import { unrecordedServers } from './agreement-facts.ts'
import { type AgreementRecords, storedAgreement } from './agreement-records.ts'

export interface BallotParts {
  readonly cache: WatchCache
  readonly store: Store
  readonly records: AgreementRecords
  readonly log: Log
}

/**
 * Whether a version is selected that no server writes. A server that records has an entry before it writes; one that does not
 * record puts `unrecorded` into the record before it writes (rule 18). That mark, and the ballot with it, stays until a server
 * reports.
 */
function isAbandoned({ servers, encodings, selectedVersion }: AgreementStatus): boolean {
  return servers.length === 0 && selectedVersion !== undefined && !encodings.includes(unrecordedEncoding)
}

/**
 * Deletes ballots of resources that no server serves and of which nothing is stored (rule 12). The vote KEP deletes a ballot
 * with its last candidate. Then a full stop in the middle of an upgrade would begin the vote again, and the winner might
 * not be able to read what is stored.
 */
export async function collectBallots(parts: BallotParts, signal: AbortSignal): Promise<void> {
  const known = parts.cache.collection(agreementPrefix).range(agreementPrefix)
  for (const record of Array.from({ length: known.count }, (_, index) =>
    agreementKind.decode(known.at(index)),
  )) {
    if (isAbandoned(record.status)) await collect(parts, record, signal)
  }
}

/**
 * Reads the record, then the stored objects, and commits only if the record is unchanged: a server may have come, written and
 * left meanwhile. It does nothing while a live server does not record: that server may be about to mark the record.
 */
async function collect(
  { store, records, log }: BallotParts,
  { spec }: StorageAgreement,
  signal: AbortSignal,
): Promise<void> {
  const stored = storedAgreement(await readOne(store, agreementKey(spec), signal))
  const prefix = stored?.record.spec.storagePrefix
  // Without a prefix it is unknown where objects are stored, and unknown is not empty.
  if (!stored || prefix === undefined || !isAbandoned(stored.record.status)) return
  const page = await store.list({ prefix: `${storageRoot}${prefix}/`, limit: 1 }, signal)
  if (page.entries.length > 0) return
  const { outcome } = await records.change(
    spec,
    (view) =>
      view.stored?.revision === stored.revision && unrecordedServers(view.leases, []).size === 0
        ? { entries: [], guards: [], forgetsSelection: true }
        : undefined,
    signal,
  )
  if (outcome === 'stored') {
    log.info('deleted the ballot: no server serves the resource, and nothing is stored', {
      resource: groupResourceText(spec),
    })
  }
}
