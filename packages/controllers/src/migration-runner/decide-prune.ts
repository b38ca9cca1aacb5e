import { type CustomResourceDefinition, storageVersionNameOf } from '@strata/api'
import type { DefinitionState, Proof } from '../migrator/index.ts'

/** What a migration, or a reading of the store, has to say about the objects of one definition. */
export interface PruneEvidence {
  /** False after anything but a success: then nothing else about it matters. */
  readonly succeeded: boolean
  readonly proof: Proof
  /** The definition as it was while the evidence was gathered; undefined where nobody has noted it. */
  readonly definition: DefinitionState | undefined
}

export interface PruneFacts {
  /** As it was just read. */
  readonly definition: CustomResourceDefinition
  readonly evidence: PruneEvidence
  /** The least that somebody has declared to be enough. */
  readonly accept: Proof
}

export type PruneDecision =
  | {
      readonly do: 'prune'
      readonly storedVersions: readonly [string]
      readonly dropped: readonly string[]
      /** The definition that this was decided about. Pruning another one, or another state of it, is not decided. */
      readonly guard: { readonly uid: string; readonly resourceVersion: string }
      readonly because: string
    }
  | { readonly do: 'nothing'; readonly because: string }
  /** Upstream has a text of its own for a CRD whose generation has changed. */
  | { readonly do: 'refuse'; readonly because: string; readonly isGenerationChanged?: true }

const strengths: Readonly<Record<Proof, number>> = { unknown: 0, 'observed clean': 1, proven: 2 }

const refuse = (because: string): PruneDecision & { readonly do: 'refuse' } => ({ do: 'refuse', because })

/**
 * Whether the versions in which a definition says there may be stored objects can be cut down to the storage version.
 * Upstream does so when any migration has ended and the generation is the same, also when it has failed (behaviour.md, Q1
 * and R6). Then: one object cannot be rewritten and stays in v1, v1 goes from storedVersions, somebody takes v1 out of the
 * definition, which is allowed now, and nobody can read that object any more.
 */
export function decidePrune({ definition, evidence, accept }: PruneFacts): PruneDecision {
  const { uid = '', generation = 0, resourceVersion = '', deletionTimestamp } = definition.metadata
  const stored = definition.status.storedVersions ?? []
  const storage = storageVersionNameOf(definition)
  if (deletionTimestamp !== undefined) return refuse('the CRD is being deleted')
  if (storage === undefined) return refuse('the CRD has no storage version')
  const dropped = stored.filter((each) => each !== storage)
  if (dropped.length === 0) return { do: 'nothing', because: `only ${storage} is stored` }
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

/** Said to whoever then removes the versions: no word of it may claim more than is known. */
function becauseOf(proof: Proof, storage: string, dropped: readonly string[]): string {
  switch (proof) {
    case 'proven':
      return `proven: everything is stored in ${storage}`
    case 'observed clean':
      return `observed clean: nothing was found that is not stored in ${storage}, and no server guards that`
    case 'unknown':
      return `unknown, and that was accepted: objects may still be stored in ${dropped.join(', ')}`
  }
}

/** To be sent to the definition's status; refused by the server if it is another definition, or has changed. */
export function prunePatch({
  storedVersions,
  guard,
}: PruneDecision & { readonly do: 'prune' }): Readonly<Record<string, unknown>> {
  return { metadata: guard, status: { storedVersions } }
}
