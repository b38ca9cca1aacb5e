import type { Lease, StorageAgreement } from '@strata/api'
import { isAbsence, isConflict, isInvalid, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { identityLeaseKey } from '../identity-lease.ts'
import { decideEntries } from './decide-entries.ts'
import { observeLeases } from './observe-leases.ts'

export interface StorageVersionGcOptions {
  readonly agreements: ResourceClient<StorageAgreement>
  readonly leases: ResourceClient<Lease>
  /** The stores of the informers: a reason to read a record, never a reason to change it. */
  readonly known: {
    readonly agreements: ReadonlyMap<string, StorageAgreement>
    readonly leases: ReadonlyMap<string, Lease>
  }
  readonly log: Log
}

/** How soon to retry after a lost race. */
const afterRaceMs = 100

/** Removes the entries of servers that are gone from agreement records. Keys are names of records. */
export function createStorageVersionGc({
  agreements,
  leases,
  known,
  log,
}: StorageVersionGcOptions): Reconciler {
  const isSuspect = ({ serverID }: { serverID: string }): boolean =>
    !known.leases.has(identityLeaseKey(serverID))

  const observeRecord = async (name: string, signal: AbortSignal): Promise<StorageAgreement | undefined> => {
    try {
      return await agreements.get({ name }, signal)
    } catch (error) {
      if (isAbsence(error, agreements.address, name)) return undefined
      throw error
    }
  }

  const remove = async (record: StorageAgreement, signal: AbortSignal): Promise<Settled> => {
    try {
      // With the record's resourceVersion. The server removes an entry only if its Lease is absent in the same transaction,
      // and computes the rest of the status itself.
      await agreements.update(record, signal)
      return undefined
    } catch (error) {
      // 422: the Lease of a removed server exists again.
      const cameBack = isInvalid(error)
      if (
        !cameBack &&
        !isConflict(error) &&
        !isAbsence(error, agreements.address, record.metadata.name ?? '')
      ) {
        throw error
      }
      log.info('the record or a Lease changed, or the record is gone; retrying', {
        record: record.metadata.name,
        error: String(error),
      })
      return { lookAgainMs: afterRaceMs }
    }
  }

  return {
    reconcile: async (name, signal) => {
      const cached = known.agreements.get(name)
      if (cached && !cached.status.servers.some(isSuspect)) return undefined
      const record = await observeRecord(name, signal)
      if (!record) return undefined
      const suspects = record.status.servers.filter(isSuspect).map(({ serverID }) => serverID)
      const { leaseOf, failure } = await observeLeases(leases, suspects, signal)
      const { because, ...decision } = decideEntries(record.status.servers, leaseOf)
      log.info('checked the entries of an agreement record', { record: name, do: decision.do, because })
      let settled: Settled
      if (decision.do === 'remove') {
        settled = await remove({ ...record, status: { ...record.status, servers: decision.keep } }, signal)
      }
      // A failed read is retried with the backoff of the engine.
      if (failure !== undefined) throw failure
      return settled
    },
  }
}
