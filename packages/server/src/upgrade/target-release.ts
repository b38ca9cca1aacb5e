import {
  apiVersionOf,
  type DecodableResource,
  type KnownRelease,
  type ResourceDefinition,
  resourceAtRelease,
} from '@strata/api'

/** The names of releases here: those of the kinds, and the name of this software. */
export function knownReleases(definitions: readonly ResourceDefinition[], ownName: string): string[] {
  return [...new Set([...definitions.flatMap(({ releases = {} }) => Object.keys(releases)), ownName])].sort()
}

/**
 * The versions of built-in kinds that a release reads, without kinds that it lacks. The name of this software stands for its
 * newest state.
 */
export function decodableAtRelease(
  definitions: readonly ResourceDefinition[],
  release: string,
  ownName: string,
): readonly DecodableResource[] {
  return definitions
    .filter(({ isReview }) => !isReview)
    .flatMap((definition) => {
      const { group, resource, alsoServedIn = [] } = definition
      const isNamed = definition.releases?.[release] !== undefined
      const atRelease = resourceAtRelease(definition, release === ownName && !isNamed ? undefined : release)
      if (!atRelease) return []
      const equivalent = alsoServedIn.flatMap((other) =>
        Object.keys(other.versions).map((versionName) => apiVersionOf(other.group, versionName)),
      )
      const own = atRelease.decodable.map((versionName) => apiVersionOf(group, versionName))
      return [{ group, resource, decodable: [...own, ...equivalent].sort() }]
    })
}

/** The versions that each release of a kind reads and would write, by full names. */
export function releasesOf({ group, releases = {} }: ResourceDefinition): KnownRelease[] {
  return Object.entries(releases).map(([release, { decodable, preferredStorage }]) => ({
    release,
    decodable: fullVersions(group, decodable),
    writes: apiVersionOf(group, preferredStorage),
  }))
}

/** Users may write v2 for example.dev/v2. */
export function fullVersions(group: string, versions: readonly string[]): string[] {
  return versions.map((each) => (each.includes('/') ? each : apiVersionOf(group, each))).sort()
}
