import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import type { Group, GroupVersion } from './groups.ts'
import { storageVersionHash } from './storage-version-hash.ts'

/** `/apis`: every group but the one without a name, which has a root of its own. */
export function groupList(groups: readonly Group[]): unknown {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.filter(({ name }) => name !== '').map(describeGroup),
  }
}

/** `/apis/{group}` */
export function singleGroup(group: Group): unknown {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) }
}

function describeGroup({ name, versions }: Group) {
  const described = versions.map(({ apiVersion, versionName }) => ({
    groupVersion: apiVersion,
    version: versionName,
  }))
  return { name, versions: described, preferredVersion: described[0] }
}

/** `/api/v1` and `/apis/{group}/{version}` */
export function resourceList({ apiVersion, resources }: GroupVersion, verbs: ServedVerbs): unknown {
  return {
    kind: 'APIResourceList',
    // Upstream leaves it out for the core group, and clients have learned to.
    ...(apiVersion.includes('/') ? { apiVersion: 'v1' } : {}),
    groupVersion: apiVersion,
    resources: resources.flatMap((resource) => describeResource(resource, verbs)),
  }
}

function describeResource(resource: DiscoverableResource, verbs: ServedVerbs): unknown[] {
  const { plural, singular, scope, kind, shortNames, categories, isReview } = resource.definition
  const namespaced = scope === 'Namespaced'
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbs.of(resource),
      ...(shortNames ? { shortNames } : {}),
      ...(categories ? { categories } : {}),
      ...(isReview ? {} : { storageVersionHash: storageVersionHash(resource.codec.preferredVersion, kind) }),
    },
    ...verbs.ofSubresources(resource).map(([name, its, other]) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...(other ?? { kind }),
      verbs: its,
    })),
  ]
}
