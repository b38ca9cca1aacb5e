import { type CustomResourceDefinition, storageVersionNameOf } from '@strata/api'
import type { DefinitionState, Proof } from '../migrator/index.ts'

/** Evidence from a migration, or from a census of the store, about the objects of a CRD. */
export interface PruneEvidence {
  /** If false, the other fields do not count. */
  readonly succeeded: boolean
  readonly proof: Proof
  /** The CRD while the evidence was collected; undefined if that was not stored. */
  readonly definition: DefinitionState | undefined
}

export interface PruneFacts {
  /** As just read. */
  readonly definition: CustomResourceDefinition
  readonly evidence: PruneEvidence
  /** The weakest proof that the user accepts. */
  readonly accept: Proof
}

export type PruneDecision =
  | {
      readonly do: 'prune'
      readonly storedVersions: readonly [string]
      readonly dropped: readonly string[]
      /** The state of the CRD that this was decided on; the patch names it. */
      readonly guard: { readonly uid: string; readonly resourceVersion: string }
      readonly because: string
    }
  | { readonly do: 'nothing'; readonly because: string }
  /** Upstream has a text of its own for a CRD whose generation has changed. */
  | { readonly do: 'refuse'; readonly because: string; readonly isGenerationChanged?: true }

const strengths: Readonly<Record<Proof, number>> = { unknown: 0, 'observed clean': 1, proven: 2 }

const refuse = (because: string): PruneDecision & { readonly do: 'refuse' } => ({ do: 'refuse', because })

/**
 * Decides whether the runner prunes storedVersions of a CRD, down to the storage version. Upstream prunes when any migration
 * has ended and the generation is the same, also if it failed (docs/reference/upstream-behaviour.md, Q1 and R6). Then:
 *
 * 1. One object cannot be rewritten, and stays in v1.
 * 2. Upstream removes v1 from storedVersions.
 * 3. A user removes v1 from the CRD, which is allowed now. No server can read that object any more.
 */
export function decidePrune({ definition, evidence, accept }: PruneFacts): PruneDecision {
  const { uid = '', generation = 0, resourceVersion = '', deletionTimestamp } = definition.metadata
  const stored = definition.status.storedVersions ?? []
  const storage = storageVersionNameOf(definition)
  if (deletionTimestamp !== undefined) return refuse('the CRD is being deleted')
  if (storage === undefined) return refuse('the CRD has no storage version')
  const dropped = stored.filter((each) => each !== storage)
  if (dropped.length === 0) return { do: 'nothing', because: nothingBecause(stored) }
  if (!evidence.succeeded) return refuse('the migration has not succeeded')
  if (strengths[evidence.proof] < strengths[accept]) {
    return refuse(`the result of the migration is "${evidence.proof}", and "${accept}" is required`)
  }
  const before = evidence.definition
  if (before === undefined) return refuse('it is not known which generation of the CRD the migration saw')
  if (before.uid !== uid) return refuse('the CRD was deleted and created again since')
  if (before.generation !== generation) {
    const because = `the CRD has changed since: generation ${before.generation} became ${generation}`
    return { ...refuse(because), isGenerationChanged: true }
  }
  if (before.storageVersion !== storage) {
    return refuse(
      `objects were migrated to ${before.storageVersion}, and the storage version is ${storage} now`,
    )
  }
  if (resourceVersion === '') return refuse('the CRD has no resourceVersion to guard the change with')
  return {
    do: 'prune',
    storedVersions: [storage],
    dropped,
    guard: { uid, resourceVersion },
    because: becauseOf(evidence.proof, storage, dropped),
  }
}

/** Clients can write storedVersions: a short list does not show what is stored. */
const nothingBecause = (stored: readonly string[]): string =>
  stored.length === 0
    ? 'status.storedVersions lists nothing, so there is nothing to prune'
    : `status.storedVersions lists only ${stored.join(', ')}, so there is nothing to prune`

/** Users remove versions because of this text: it must not claim more than is known. */
function becauseOf(proof: Proof, storage: string, dropped: readonly string[]): string {
  switch (proof) {
    case 'proven':
      return `proven: everything is stored in ${storage}`
    case 'observed clean':
      return `observed clean: every object that was found is stored in ${storage}, but writes are not fenced`
    case 'unknown':
      return `unknown, and that was accepted: objects may still be stored in ${dropped.join(', ')}`
  }
}

/** The patch of the CRD's status. The server refuses it if the CRD has changed. */
export function prunePatch({
  storedVersions,
  guard,
}: PruneDecision & { readonly do: 'prune' }): Readonly<Record<string, unknown>> {
  return { metadata: guard, status: { storedVersions } }
}
