import type { AgreementStatus, GroupResource } from '@strata/api'
import type { AgreementRecords } from './agreement-records.ts'
import { type PersistedProof, refuseProof } from './decide-persisted.ts'

export type SettleOutcome =
  /** The record names that version alone, by this call or already. */
  | { readonly outcome: 'settled'; readonly status: AgreementStatus }
  /** The proof is of no account any more; the record keeps what it had. */
  | { readonly outcome: 'refused'; readonly why: string }

/**
 * Has the record forget every version but the one that is proven to be stored. To be called by whoever has read every
 * object while the record stood in that epoch. Decided on the record as it stands, and committed only if it has not
 * moved since: a server that registered in the meantime has its version among the persisted ones, and keeps it there.
 */
export async function settlePersisted(
  records: AgreementRecords,
  resource: GroupResource,
  proof: PersistedProof,
  signal: AbortSignal,
): Promise<SettleOutcome> {
  const changed = await records.change(
    resource,
    ({ stored, entries }) => (stored ? { entries, guards: [], proof } : undefined),
    signal,
  )
  const status = changed.outcome === 'overtaken' ? undefined : changed.stored?.record.status
  if (!status) return { outcome: 'refused', why: 'there is no agreement record' }
  const { epoch, agreedVersion, conditions } = status
  const isFenced = conditions.some(({ type, status: holds }) => type === 'Fenced' && holds === 'True')
  const why = refuseProof(proof, status, { epoch, agreedVersion, isFenced })
  return why === undefined ? { outcome: 'settled', status } : { outcome: 'refused', why }
}
