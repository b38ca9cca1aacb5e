import { type AgreementStatus, commonWriteKey, type GroupResource, isFenced } from '@strata/api'
import type { AgreementRecords } from './agreement-records.ts'
import { type PersistedProof, refuseProof } from './decide-persisted.ts'

/** Of which record the epoch is: one that was lost and made anew counts its epochs from 1, and an old proof would fit. */
export interface RecordProof extends PersistedProof {
  readonly recordUID: string
}

export type PruneOutcome =
  /** The record names that version and that key alone, by this call or already. */
  | { readonly outcome: 'pruned'; readonly status: AgreementStatus }
  /** The proof is of no account any more; the record keeps what it had. */
  | { readonly outcome: 'refused'; readonly why: string }

/**
 * Has the record forget all but the version and the key that are proven to be stored. To be called by whoever has read every
 * object while the record stood in that epoch. Decided on the record as it stands, and committed only if it has not
 * moved since: a server that registered in the meantime has its version among the persisted ones, and keeps it there.
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
