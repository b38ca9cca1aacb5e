import type { TargetDecision } from '@strata/controllers'

/**
 * Why --all leaves a resource alone; undefined if it takes it. Servers add a version to `storedVersions` of a CRD before they
 * store an object in it. Of built-in resources no source says what was stored before, so they are all taken.
 */
export function needsNoRewrite(decision: TargetDecision | undefined): string | undefined {
  if (decision?.agreed !== true) return undefined
  const { target, storedVersions } = decision
  if (target.how === 'unpublished') return 'its storage version is not published'
  const [only, ...others] = storedVersions ?? []
  if (only === undefined || others.length > 0 || only !== target.definition?.storageVersion) return undefined
  return `its CRD lists no other stored version than ${only}`
}
