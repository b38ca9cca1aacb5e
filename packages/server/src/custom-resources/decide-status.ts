import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
  decideApproval,
  decideEstablished,
  decideNames,
  type Named,
} from '@strata/api'

/** The new status of a CRD that is not being deleted; undefined if it is up to date. */
export function decideStatus(
  crd: CustomResourceDefinition,
  others: readonly Named[],
  now: string,
  isBuiltIn = false,
): CustomResourceDefinitionStatus | undefined {
  const named = decideNames(crd, others, now, isBuiltIn)
  const afterNames = named ? { ...crd, status: named } : crd
  const established = decideEstablished(afterNames, now)
  const afterEstablished = established ? { ...crd, status: established } : afterNames
  const approved = decideApproval(afterEstablished, now)
  return approved ?? established ?? named
}
