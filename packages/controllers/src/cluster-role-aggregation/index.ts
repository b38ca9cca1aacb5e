import { clusterRoles } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { createClusterRoleAggregation } from './aggregation-controller.ts'

/** A change of one role may concern every aggregated role. There are few. */
export function clusterRoleAggregation({ client, informers, log }: Term): ControllerPart {
  const informer = informers.of(clusterRoles, 'v1')
  const gathering = function* (): Generator<string> {
    for (const [name, { aggregationRule }] of informer.store) if (aggregationRule) yield name
  }
  return {
    sources: [informerSource(informer, gathering)],
    reconciler: createClusterRoleAggregation({
      clusterRoles: client.resource(clusterRoles, 'v1'),
      known: informer.store,
      log,
    }),
  }
}
