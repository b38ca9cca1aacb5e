import { holdsCondition, type MigrationProgress } from '@strata/api'
import { type Proof, proofOf } from '../migrator/index.ts'
import type { PruneEvidence } from './decide-prune.ts'

/** Says on a migration, or on a definition, that less than a proof is enough to prune: `ObservedClean` or `Unknown`. */
export const acceptAnnotation = 'strata.dev/accept'

/** What the status of a migration of either group proves. A success that somebody else has written proves nothing. */
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

/** The least that is accepted, by what stands in annotations; a word that nobody knows accepts nothing. */
export function acceptedProof(
  ...annotations: readonly (Readonly<Record<string, string>> | undefined)[]
): Proof {
  const words = annotations.map((each) => each?.[acceptAnnotation])
  if (words.includes('Unknown')) return 'unknown'
  return words.includes('ObservedClean') ? 'observed clean' : 'proven'
}
