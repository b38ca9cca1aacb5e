import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@strata/api'
import type { MergePatch } from '@strata/client'
import { type PruneDecision, prunePatch } from './decide-prune.ts'

/** What is to be said in the status of a definition about the migration of its objects. */
export type DefinitionSaying =
  | { readonly kind: 'running'; readonly migration: string }
  | { readonly kind: 'succeeded'; readonly prune: PruneDecision }
  | { readonly kind: 'failed' }

/** The change that says so, guarded by what it was decided on; undefined if that is said already. */
export function decideDefinition(
  definition: CustomResourceDefinition,
  saying: DefinitionSaying,
  now: string,
): MergePatch | undefined {
  const { uid, resourceVersion, generation = 0 } = definition.metadata
  const before = definition.status.conditions ?? []
  const standing = before.find(({ type }) => type === 'StorageMigrating')
  const said = conditionOf(saying)
  // What never began here need not end here.
  if (saying.kind === 'failed' && standing?.status !== 'True') return undefined
  const prunes = saying.kind === 'succeeded' && saying.prune.do === 'prune'
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
  const pruned = prunes && saying.prune.do === 'prune' ? prunePatch(saying.prune) : {}
  const status = { ...(pruned.status as object | undefined), conditions }
  return { metadata: { uid, resourceVersion }, status }
}

function conditionOf(
  saying: DefinitionSaying,
): Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'> {
  const type = 'StorageMigrating'
  switch (saying.kind) {
    case 'running': {
      const message = `Migration ${saying.migration} is running`
      return { type, status: 'True', reason: 'MigrationRunning', message }
    }
    case 'succeeded': {
      const message = `The migration has succeeded${pruneWords(saying.prune)}`
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
