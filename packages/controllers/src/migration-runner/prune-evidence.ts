import { holdsCondition, type MigrationProgress } from '@strata/api'
import { type Proof, proofOf } from '../migrator/index.ts'
import type { PruneEvidence } from './decide-prune.ts'

/** An annotation of a migration or of a CRD. It accepts a weaker proof for pruning: `ObservedClean` or `Unknown`. */
export const acceptAnnotation = 'strata.dev/accept'

/** The evidence in the status of a migration of either group. A success of another migrator proves nothing. */
export function pruneEvidenceOf(
  status:
    | (MigrationProgress & {
        readonly conditions?: readonly { readonly type: string; readonly status: string }[]
      })
    | undefined,
): PruneEvidence {
  const conditions = status?.conditions?.map(({ type, status }) => ({ type, status: status as 'True' }))
  return {
    succeeded: holdsCondition(conditions, 'Succeeded') && !holdsCondition(conditions, 'Failed'),
    proof: proofOf(status?.result),
    definition: status?.target?.definition,
  }
}

/** The weakest proof that the annotations accept. Any other value does not count. */
export function acceptedProof(
  ...annotations: readonly (Readonly<Record<string, string>> | undefined)[]
): Proof {
  const words = annotations.map((each) => each?.[acceptAnnotation])
  if (words.includes('Unknown')) return 'unknown'
  return words.includes('ObservedClean') ? 'observed clean' : 'proven'
}
