import { createHash } from 'node:crypto'
import type { DiscoverableApi, DiscoverableResource, ServedVerbs } from './discoverable.ts'
import { groupsOf } from './groups.ts'
import { encodingVersionOf, groupList, type LegacyOptions, resourceList, singleGroup } from './legacy.ts'

/**
 * A hash of all documents of what is built in, as they are served now (seed 004, "Calculating DiscoveryDocHashes"). Custom
 * kinds are not in it, not even where they are in a group of the program's: their definitions are the same for all servers.
 * It is made again only when something that is built in is served otherwise.
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
