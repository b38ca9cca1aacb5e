import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import type { Group } from './groups.ts'

/** All groups with all their resources in one document; `v2beta1` differs from `v2` by its name only. */
export function groupDiscoveryList(
  groups: readonly Group[],
  versionName: string,
  verbs: ServedVerbs,
): unknown {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${versionName}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versions.map((version) => ({
        version: version.versionName,
        resources: version.resources.map((resource) => describe(resource, verbs)),
        freshness: 'Current',
      })),
    })),
  }
}

function describe(resource: DiscoverableResource, verbs: ServedVerbs): unknown {
  const { plural, singular, scope, kind, shortNames, categories } = resource.definition
  // Only the kind is named where group and version are those of the document, as upstream does.
  const responseKind = { group: '', version: '', kind }
  const subresources = verbs.ofSubresources(resource).map(([subresource, its, other]) => ({
    subresource,
    responseKind: other ?? responseKind,
    verbs: its,
  }))
  return {
    resource: plural,
    responseKind,
    scope,
    singularResource: singular,
    verbs: verbs.of(resource),
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}
