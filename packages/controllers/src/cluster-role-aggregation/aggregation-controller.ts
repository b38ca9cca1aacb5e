import type { ClusterRole } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import type { Reconciler } from '../engine/index.ts'
import { decideRules } from './decide-rules.ts'

export interface ClusterRoleAggregationOptions {
  readonly clusterRoles: ResourceClient<ClusterRole>
  /** What the watch has told so far. */
  readonly known: ReadonlyMap<string, ClusterRole>
  readonly log: Log
}

/** Keeps the rules of roles that gather those of others. Keys are the names of roles. */
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
        // Of the role that was seen: one that has changed meanwhile may gather something else by now.
        await clusterRoles.patch({ name }, { metadata: { resourceVersion }, rules }, signal)
        log.info('gathered the rules of a role', { role: name, rules: rules.length })
      } catch (error) {
        // What we knew was old. The watch brings what is new, and us back here.
        if (!isConflict(error) && !isAbsence(error, clusterRoles.address, name)) throw error
      }
      return undefined
    },
  }
}
