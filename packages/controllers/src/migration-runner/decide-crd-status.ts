import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@strata/api'
import type { MergePatch } from '@strata/client'
import { type PruneDecision, prunePatch } from './decide-prune.ts'

/** The stage that the StorageMigrating condition of a CRD reports. */
export type CrdStage =
  | { readonly kind: 'running'; readonly migration: string }
  | { readonly kind: 'succeeded'; readonly prune: PruneDecision }
  | { readonly kind: 'failed' }

/** The patch of the condition, guarded by the state of the CRD; undefined if the CRD says so already. */
export function decideCrdStatus(
  definition: CustomResourceDefinition,
  stage: CrdStage,
  now: string,
): MergePatch | undefined {
  const { uid, resourceVersion, generation = 0 } = definition.metadata
  const before = definition.status.conditions ?? []
  const standing = before.find(({ type }) => type === 'StorageMigrating')
  const said = conditionOf(stage)
  // A migration that never started on this CRD need not end on it.
  if (stage.kind === 'failed' && standing?.status !== 'True') return undefined
  const prunes = stage.kind === 'succeeded' && stage.prune.do === 'prune'
  const isSame =
    standing?.status === said.status &&
    standing.reason === said.reason &&
    standing.message === said.message &&
    standing.observedGeneration === generation
  if (isSame && !prunes) return undefined
  const lastTransitionTime = standing?.status === said.status ? (standing.lastTransitionTime ?? now) : now
  const condition = { ...said, lastTransitionTime, observedGeneration: generation }
  const conditions = standing
    ? before.map((each) => (each === standing ? condition : each))
    : [...before, condition]
  const pruned = prunes && stage.prune.do === 'prune' ? prunePatch(stage.prune) : {}
  const status = { ...(pruned.status as object | undefined), conditions }
  return { metadata: { uid, resourceVersion }, status }
}

function conditionOf(
  stage: CrdStage,
): Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'> {
  const type = 'StorageMigrating'
  switch (stage.kind) {
    case 'running': {
      const message = `Migration ${stage.migration} is running`
      return { type, status: 'True', reason: 'MigrationRunning', message }
    }
    case 'succeeded': {
      const message = `The migration has succeeded${pruneWords(stage.prune)}`
      return { type, status: 'False', reason: 'MigrationSucceeded', message }
    }
    case 'failed':
      return { type, status: 'False', reason: 'MigrationFailed', message: 'The migration has failed' }
  }
}

/** Upstream's text, where it has one. */
function pruneWords(prune: PruneDecision): string {
  if (prune.do !== 'refuse') return ' and the stored versions have been updated'
  const why = prune.isGenerationChanged ? 'due to a generation mismatch' : `because ${prune.because}`
  return ` but the stored versions have not been updated ${why}`
}
