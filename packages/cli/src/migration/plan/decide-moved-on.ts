import { decideMovement, type TargetDecision } from '@strata/controllers'
import type { MigrationPlan } from './planned-resource.ts'

/** What the cluster is now. */
export interface ClusterNow {
  readonly cluster: string
  /** By resource; absent if it could not be read. */
  readonly targets: ReadonlyMap<string, TargetDecision>
  /** By resource; absent where they may not be listed. */
  readonly webhooks: ReadonlyMap<string, readonly string[]>
}

/**
 * What has changed since the plan was made, so that it does not hold any more; empty if nothing has. A StorageVersion that was
 * written again with the same version is no change: a plan is an approval, and the migration itself watches for the rest.
 */
export function decideMovedOn({ cluster, resources }: MigrationPlan, now: ClusterNow): readonly string[] {
  if (cluster !== now.cluster) {
    return [`the plan is for cluster ${cluster}, and this is cluster ${now.cluster}`]
  }
  return resources.flatMap(({ resource, target, webhooks, because }) => {
    if (target === undefined) return [`${resource}: the plan has no target for it: ${because}`]
    const decision = now.targets.get(resource)
    if (decision === undefined) return [`${resource}: its storage version could not be read`]
    const movement = decideMovement(target, decision, { watched: true })
    if (movement.kind !== 'stands') return [`${resource}: ${movement.because}`]
    const [before, after] = [webhooks?.join(', '), now.webhooks.get(resource)?.join(', ')]
    // Without the right to list them, the plan says nothing about them; its dry run has asked them all the same.
    if (before === after || before === undefined || after === undefined) return []
    return [`${resource}: webhooks for its updates were ${before || 'none'}, and are ${after || 'none'}`]
  })
}
