import type { DecodableResource } from '@strata/api'
import {
  builtInResources,
  ConfigurationProblem,
  loadResources,
  softwareRelease,
} from '../configuration/index.ts'
import { decodableAtRelease, knownReleases } from '../upgrade/index.ts'

/** The name of this release. Its kinds are always known. */
export const ownRelease = softwareRelease

/**
 * The versions that a release can decode, for each kind of this program and of the modules. No server is needed: before an
 * upgrade the new program is at hand, and the running servers do not know its kinds. A kind that the release does not have
 * gets an empty list.
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
