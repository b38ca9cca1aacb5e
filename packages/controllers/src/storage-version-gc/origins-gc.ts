import {
  aggregatedIdentityLabelValue,
  identityLabel,
  identityNamespace,
  type Lease,
  type StorageVersion,
  withOrigins,
} from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'
import { decideOrigins } from './decide-origins.ts'

export interface OriginsGcOptions {
  readonly storageVersions: ResourceClient<StorageVersion>
  readonly leases: ResourceClient<Lease>
  /** The stores of the informers: a reason to read an object, never a reason to change it. */
  readonly known: {
    readonly storageVersions: ReadonlyMap<string, StorageVersion>
    readonly leases: ReadonlyMap<string, Lease>
  }
  readonly log: Log
}

/** How soon to retry after a lost race. */
const afterRaceMs = 100

/** Removes origins that have no server any more from mirrored StorageVersions. Keys are names of objects. */
export function createOriginsGc({ storageVersions, leases, known, log }: OriginsGcOptions): Reconciler {
  const labelSelector = `${identityLabel}=${aggregatedIdentityLabelValue}`
  return {
    reconcile: async (name, signal) => {
      const cached = known.storageVersions.get(name)
      if (!cached || decideOrigins(cached, known.leases.values()).do === 'nothing') return undefined
      try {
        const object = await storageVersions.get({ name }, signal)
        // After the object, which is changed only as it was read: an origin that it names had its Leases before.
        const { items } = await leases.list({ namespace: identityNamespace, labelSelector }, signal)
        const decision = decideOrigins(object, items)
        if (decision.do === 'nothing') return undefined
        log.info('decided', { object: name, do: decision.do, because: decision.because })
        const { uid, resourceVersion } = object.metadata
        if (decision.do === 'write') {
          await storageVersions.update(withOrigins(object, decision.origins), signal)
        } else await storageVersions.delete({ name }, { preconditions: { uid, resourceVersion } }, signal)
        return undefined
      } catch (error) {
        if (isAbsence(error, storageVersions.address, name)) return undefined
        if (!isConflict(error)) throw error
        return { lookAgainMs: afterRaceMs }
      }
    },
  }
}
