import { apiVersionOf, groupOfApiVersion, versionNameOf } from '@strata/api'
import type { DiscoverableResource, DiscoverableSubresource, ServedVerbs } from './discoverable.ts'

/** The parts of a resource that both forms of discovery show. */
export interface ShownResource {
  readonly verbs: readonly string[]
  readonly subresources: readonly DiscoverableSubresource[]
  readonly names: {
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }
}

/** For custom kinds, upstream has these in an order of its own, which kubectl shows. */
const customVerbs: readonly string[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]
const customParts: readonly string[] = ['status', 'scale']
/** The verbs that remain while the CRD is being deleted with its objects. */
const endingVerbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch'])

/** The kind of the objects, if it belongs to another group than the path. */
export function kindElsewhere({
  group,
  versionName,
  apiVersion,
  definition: { kind },
}: DiscoverableResource): { group: string; version: string; kind: string } | undefined {
  if (apiVersion === apiVersionOf(group, versionName)) return undefined
  return { group: groupOfApiVersion(apiVersion), version: versionNameOf(apiVersion), kind }
}

export function shownResource(resource: DiscoverableResource, served: ServedVerbs): ShownResource {
  const { isCustom, shortNames = [], categories = [] } = resource.definition
  const verbs: readonly string[] = served.of(resource)
  const subresources = served.ofSubresources(resource)
  return {
    verbs: isCustom
      ? customVerbs.filter(
          (verb) => verbs.includes(verb) && (!resource.isTerminating || endingVerbs.has(verb)),
        )
      : verbs,
    subresources: isCustom
      ? subresources.toSorted(([a], [b]) => customParts.indexOf(a) - customParts.indexOf(b))
      : subresources,
    names: {
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
  }
}
