import type { ClusterRole } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'
import { decideRules } from './decide-rules.ts'

export interface ClusterRoleAggregationOptions {
  readonly clusterRoles: ResourceClient<ClusterRole>
  /** The store of the informer. */
  readonly known: ReadonlyMap<string, ClusterRole>
  readonly log: Log
}

/** Keeps the rules of aggregated ClusterRoles up to date. Keys are the names of roles. */
export function createClusterRoleAggregation({
  clusterRoles,
  known,
  log,
}: ClusterRoleAggregationOptions): Reconciler {
  return {
    reconcile: async (name, signal) => {
      const role = known.get(name)
      const rules = decideRules(role, known.values())
      if (!role || !rules) return undefined
      const { resourceVersion } = role.metadata
      try {
        // With the resourceVersion of the role that was read: a changed role may have other selectors by now.
        await clusterRoles.patch({ name }, { metadata: { resourceVersion }, rules }, signal)
        log.info('updated the rules of an aggregated role', { role: name, rules: rules.length })
      } catch (error) {
        // The store was old. The watch brings the new state and enqueues the key again.
        if (!isConflict(error) && !isAbsence(error, clusterRoles.address, name)) throw error
      }
      return undefined
    },
  }
}
