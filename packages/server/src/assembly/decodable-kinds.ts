import type { DecodableResource } from '@strata/api'
import {
  builtInResources,
  ConfigurationProblem,
  loadResources,
  softwareRelease,
} from '../configuration/index.ts'
import { decodableAtRelease, knownReleases } from '../upgrade/index.ts'

/** What this software is called itself: its own kinds are known without being asked about. */
export const ownRelease = softwareRelease

/**
 * What a release reads of this program's kinds and of those in the modules, without any server: whoever is to upgrade has the
 * new program at hand, and the servers that run have not heard of it. A kind that the release does not have is named with
 * nothing.
 */
export async function decodableKinds(
  modules: readonly string[],
  release: string,
): Promise<readonly (DecodableResource & { readonly decodable: readonly string[] })[]> {
  const kinds = [...builtInResources, ...(await loadResources(modules, undefined))]
  const known = knownReleases(kinds, ownRelease)
  if (!known.includes(release)) {
    throw new ConfigurationProblem(`--to ${release}: no kind has this release; known: ${known.join(', ')}`)
  }
  const decodable = decodableAtRelease(kinds, release, ownRelease)
  return kinds
    .filter(({ isReview }) => !isReview)
    .map(({ group, resource }) => {
      const found = decodable.find((each) => each.group === group && each.resource === resource)
      return { group, resource, decodable: found?.decodable ?? [] }
    })
}
