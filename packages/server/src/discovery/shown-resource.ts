import type { DiscoverableResource, DiscoverableSubresource, ServedVerbs } from './discoverable.ts'

/** What both forms of discovery say about a resource. */
export interface ShownResource {
  readonly verbs: readonly string[]
  readonly subresources: readonly DiscoverableSubresource[]
  readonly names: {
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }
}

/** Of custom kinds, upstream has these in an order of its own, which kubectl shows to people. */
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
/** What is left when the definition is on its way out, and all objects with it. */
const endingVerbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch'])

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
