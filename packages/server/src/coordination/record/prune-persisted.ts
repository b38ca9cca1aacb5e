import { type AgreementStatus, commonWriteKey, type GroupResource, isFenced } from '@strata/api'
import type { AgreementRecords } from './agreement-records.ts'
import { type PersistedProof, refuseProof } from './decide-persisted.ts'

/** The uid of the record: one that was deleted and created again counts epochs from 1, and an old proof would fit. */
export interface RecordProof extends PersistedProof {
  readonly recordUID: string
}

export type PruneOutcome =
  /** `status.persisted` names only that version and that key, by this call or already. */
  | { readonly outcome: 'pruned'; readonly status: AgreementStatus }
  /** The proof does not hold any more: it removes nothing from `status.persisted`. */
  | { readonly outcome: 'refused'; readonly why: string }

/**
 * Removes everything from `status.persisted` but the proven version and key. The caller has read every object in that epoch of
 * the record. It is decided on the record as stored, and committed only if the record is unchanged: the version of a server
 * that registered meanwhile stays in the list.
 */
export async function prunePersisted(
  records: AgreementRecords,
  resource: GroupResource,
  { recordUID, ...proof }: RecordProof,
  signal: AbortSignal,
): Promise<PruneOutcome> {
  const changed = await records.change(
    resource,
    ({ stored, entries }) =>
      stored?.record.metadata.uid === recordUID ? { entries, guards: [], proof } : undefined,
    signal,
  )
  const record = changed.outcome === 'overtaken' ? undefined : changed.stored?.record
  if (!record) return { outcome: 'refused', why: 'there is no agreement record' }
  const { status, metadata } = record
  if (metadata.uid !== recordUID)
    return { outcome: 'refused', why: 'the record was deleted and created again' }
  const { epoch, agreedVersion } = status
  const writeKey = commonWriteKey(status.servers)
  const why = refuseProof(proof, status, { epoch, agreedVersion, writeKey, isFenced: isFenced(status) })
  return why === undefined ? { outcome: 'pruned', status } : { outcome: 'refused', why }
}
