import {
  isServerLease,
  type Lease,
  type ServerStorageVersion,
  type StorageAgreement,
  type StorageVersion,
  summarizeServers,
} from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import { type Clock, type Log, timestamp } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { identityLeaseKey } from '../identity-lease.ts'
import { decideEntries } from './decide-entries.ts'
import { observeLeases } from './observe-leases.ts'

export interface ClientObjectGcOptions {
  readonly storageVersions: ResourceClient<StorageVersion>
  readonly leases: ResourceClient<Lease>
  /** The stores of the informers: a reason to read an object, never a reason to change it. */
  readonly known: {
    readonly storageVersions: ReadonlyMap<string, StorageVersion>
    readonly agreements: ReadonlyMap<string, StorageAgreement>
    readonly leases: ReadonlyMap<string, Lease>
  }
  readonly clock: Clock
  readonly log: Log
}

/** How soon to retry after a lost race. */
const afterRaceMs = 100

/**
 * Removes the entries of servers that are gone from StorageVersions that clients wrote, e.g. aggregated API servers, and
 * deletes an object with its last entry. Unlike upstream, a failed read is not an absence, and every change has preconditions
 * (docs/reference/upstream-behaviour.md, P3 and P4). An object that never had an entry stays.
 */
export function createClientObjectGc(options: ClientObjectGcOptions): Reconciler {
  const { storageVersions, leases, known, clock, log } = options

  const isSuspect = ({ apiServerID }: ServerStorageVersion): boolean => {
    const lease = known.leases.get(identityLeaseKey(apiServerID))
    return !lease || !isServerLease(lease)
  }
  /** Strata's servers write the StorageVersions of their own records; clients may not. */
  const isHeld = (name: string): boolean => (known.agreements.get(name)?.status.servers.length ?? 0) > 0

  const observeObject = async (name: string, signal: AbortSignal): Promise<StorageVersion | undefined> => {
    try {
      return await storageVersions.get({ name }, signal)
    } catch (error) {
      if (isAbsence(error, storageVersions.address, name)) return undefined
      throw error
    }
  }

  const keepOnly = async (
    object: StorageVersion,
    servers: readonly ServerStorageVersion[],
    signal: AbortSignal,
  ): Promise<Settled> => {
    const { name = '', uid = '', resourceVersion = '', generation } = object.metadata
    try {
      if (servers.length === 0) {
        await storageVersions.delete({ name }, { preconditions: { uid, resourceVersion } }, signal)
      } else {
        const status = summarizeServers(servers, object.status, { now: timestamp(clock), generation })
        await storageVersions.updateSubresource('status', { ...object, status }, signal)
      }
      return undefined
    } catch (error) {
      // Also if Strata's servers own the object meanwhile: the watch will bring that.
      if (!isConflict(error) && !isAbsence(error, storageVersions.address, name)) throw error
      log.info('the object changed meanwhile; retrying', { object: name, error: String(error) })
      return { lookAgainMs: afterRaceMs }
    }
  }

  return {
    reconcile: async (name, signal) => {
      const cached = known.storageVersions.get(name)
      if (isHeld(name) || !cached?.status.storageVersions?.some(isSuspect)) return undefined
      const object = await observeObject(name, signal)
      if (!object) return undefined
      const entries = (object.status.storageVersions ?? []).map((server) => ({
        serverID: server.apiServerID,
        server,
      }))
      const suspects = entries.filter(({ server }) => isSuspect(server)).map(({ serverID }) => serverID)
      const { leaseOf, failure } = await observeLeases(leases, suspects, signal, isServerLease)
      const { because, ...decision } = decideEntries(entries, leaseOf)
      log.info('checked the entries of a StorageVersion', { object: name, do: decision.do, because })
      let settled: Settled
      if (decision.do === 'remove') {
        settled = await keepOnly(
          object,
          decision.keep.map(({ server }) => server),
          signal,
        )
      }
      // A failed read is retried with the backoff of the engine.
      if (failure !== undefined) throw failure
      return settled
    },
  }
}
