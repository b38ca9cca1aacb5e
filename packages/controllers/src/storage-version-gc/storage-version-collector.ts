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
  /** What the watches have told: enough to suspect, never enough to act. */
  readonly known: {
    readonly agreements: ReadonlyMap<string, StorageAgreement>
    readonly leases: ReadonlyMap<string, Lease>
  }
  readonly log: Log
}

/** How soon to look again after a lost race. Someone else has just written, so the cure is near. */
const afterRaceMs = 100

/** Takes the entries of servers that are gone out of agreement records. Keys are names of records. */
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
      // With the record's resourceVersion. The server guards each removal by the absence of that Lease in the
      // same transaction, and computes all that follows from the entries itself.
      await agreements.update(record, signal)
      return undefined
    } catch (error) {
      const cameBack = isInvalid(error)
      if (
        !cameBack &&
        !isConflict(error) &&
        !isAbsence(error, agreements.address, record.metadata.name ?? '')
      ) {
        throw error
      }
      log.info('overtaken; looking again', { record: record.metadata.name, error: String(error) })
      return { lookAgainMs: afterRaceMs }
    }
  }

  return {
    reconcile: async (name, signal) => {
      const told = known.agreements.get(name)
      if (told && !told.status.servers.some(isSuspect)) return undefined
      const record = await observeRecord(name, signal)
      if (!record) return undefined
      const suspects = record.status.servers.filter(isSuspect).map(({ serverID }) => serverID)
      const { leaseOf, failure } = await observeLeases(leases, suspects, signal)
      const { because, ...decision } = decideEntries(record.status.servers, leaseOf)
      log.info('decided', { record: name, do: decision.do, because })
      let settled: Settled
      if (decision.do === 'remove') {
        settled = await remove({ ...record, status: { ...record.status, servers: decision.keep } }, signal)
      }
      // What could not be read is tried again, with the engine's patience.
      if (failure !== undefined) throw failure
      return settled
    },
  }
}
