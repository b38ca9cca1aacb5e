import {
  type ApiObject,
  invalidObject,
  notSupported,
  type ResourceDefinition,
  type UpgradeReview,
  upgradeReviews,
  validateUpgradeReview,
} from '@strata/api'
import { type Registry, reachFreshness } from '../../registry/index.ts'
import { knownReleases, reviewUpgrade, storedResources } from '../../upgrade/index.ts'
import type { Reviewer } from './review.ts'

/** "Can this release read all stored objects?" */
export function upgradeReview(
  registry: Registry,
  definitions: readonly ResourceDefinition[],
  ownName: string,
): Reviewer {
  return async ({ object, signal }): Promise<ApiObject> => {
    const review = object as UpgradeReview
    const problems = [...validateUpgradeReview(review)]
    const { release = '' } = review.spec ?? {}
    const known = knownReleases(definitions, ownName)
    if (problems.length === 0 && release !== '' && !known.includes(release)) {
      problems.push(notSupported('spec.release', release, known))
    }
    if (problems.length > 0) throw invalidObject(upgradeReviews, review.metadata.name ?? '', problems)
    // The answer covers everything that was stored before the request.
    await reachFreshness(registry, 'newest', signal)
    const resources = storedResources(registry.api, registry.cache)
    const status = reviewUpgrade(review.spec, { resources, definitions, ownName })
    return { ...review, status } as ApiObject
  }
}
