import { type CustomResourceDefinition, versionsOf } from '@strata/api'
import type { Evidence } from '../migration/evidence/decide-evidence.ts'

export type CleanEvidence = Pick<Evidence, 'verdict' | 'because' | 'setAside'>

/**
 * What is known about objects that are stored in a dead version; `owned` are those that managedFields name. The record of a
 * migration ends with the next change of its CRD, also with the one that removes the version. But a server that serves every
 * object has decoded it, and it cannot decode a version that the CRD does not have, whatever else is stored. To migrate first
 * would do harm: kube-apiserver drops all of managedFields when it cannot convert an entry of an object that is written.
 */
export function decideCleanEvidence(
  evidence: Evidence,
  definition: CustomResourceDefinition,
  owned: readonly string[],
): CleanEvidence {
  const { verdict, because, setAside } = evidence
  const has = (version: string): boolean => versionsOf(definition).some(({ name }) => name === version)
  if (verdict !== 'unknown' || owned.some(has))
    return { verdict, because, ...(setAside === undefined ? {} : { setAside }) }
  const dead = [...new Set(owned)].join(', ')
  return {
    verdict: 'observed clean',
    because: `no object is stored in ${dead}: every object was read, which fails for one that is stored in a version that the CRD does not have`,
  }
}
