import { createHash } from 'node:crypto'
import type { DiscoverableApi, DiscoverableResource, ServedVerbs } from './discoverable.ts'
import { groupsOf } from './groups.ts'
import { encodingVersionOf, groupList, type LegacyOptions, resourceList, singleGroup } from './legacy.ts'

/**
 * A hash of all documents of built-in resources as served now (KEP "Coordinated Discovery Documents for HA API Servers",
 * "Calculating DiscoveryDocHashes"). Custom resources are excluded, even in a group with built-in ones: their CRDs are the same
 * for all servers. It is computed again only when the built-in resources change.
 */
export function createBuiltInHash(
  api: DiscoverableApi,
  verbs: ServedVerbs,
  options: LegacyOptions,
): () => string {
  let known: { readonly of: readonly unknown[]; readonly hash: string } | undefined
  return () => {
    const resources = api.resources.filter(({ definition }) => !definition.isCustom)
    const of = resources.flatMap((resource) => [resource, encodingVersionOf(resource, options)])
    if (known?.of.length !== of.length || of.some((each, index) => each !== known?.of[index])) {
      known = { of, hash: hashOf(resources, verbs, options) }
    }
    return known.hash
  }
}

function hashOf(
  resources: readonly DiscoverableResource[],
  verbs: ServedVerbs,
  options: LegacyOptions,
): string {
  const groups = groupsOf({ resources })
  const documents = [
    groupList(groups),
    ...groups.flatMap((group) => [
      singleGroup(group),
      ...group.versions.map((version) => resourceList(version, verbs, options)),
    ]),
  ]
  const hash = createHash('sha256')
  for (const document of documents) hash.update(`${JSON.stringify(document)}\n`)
  return hash.digest('hex')
}
