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
 * Every server that records and serves a resource has an entry before it writes; one that does not record has the record
 * say so before it writes (rule 18). Where there is neither, nobody does. That somebody wrote unrecorded is kept until
 * somebody reports, and the ballot with it.
 */
function isAbandoned({ servers, encodings, selectedVersion }: AgreementStatus): boolean {
  return servers.length === 0 && selectedVersion !== undefined && !encodings.includes(unrecordedEncoding)
}

/**
 * Takes away ballots of resources that nobody serves any more and of which nothing is stored (rule 12). The seed takes one
 * away with its last candidate; a full stop in the middle of an upgrade would then begin the vote anew, and what is
 * stored in the old version might be what the new winner cannot read.
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
 * The record is looked at before what is stored, and may not have moved since: meanwhile somebody may have come, written and
 * left. Nor may anybody live who does not record, and is about to have the record say so.
 */
async function collect(
  { store, records, log }: BallotParts,
  { spec }: StorageAgreement,
  signal: AbortSignal,
): Promise<void> {
  const stored = storedAgreement(await readOne(store, agreementKey(spec), signal))
  const prefix = stored?.record.spec.storagePrefix
  // Where its objects would be is not known, and unknown is not empty.
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
