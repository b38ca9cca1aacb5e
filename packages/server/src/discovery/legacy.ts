import { storageVersionHash } from '@strata/api'
import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import { type Group, type GroupVersion, inLegacyOrder } from './groups.ts'
import { shownResource } from './shown-resource.ts'

/** `/apis`: every group but the one without a name, which has a root of its own. */
export function groupList(groups: readonly Group[]): unknown {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: inLegacyOrder(groups.filter(({ name }) => name !== '')).map(describeGroup),
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
export function resourceList(
  { apiVersion, resources }: GroupVersion,
  verbs: ServedVerbs,
  options: LegacyOptions,
): unknown {
  return {
    kind: 'APIResourceList',
    // Upstream leaves it out for the core group, and clients have learned to.
    ...(apiVersion.includes('/') ? { apiVersion: 'v1' } : {}),
    groupVersion: apiVersion,
    resources: resources.flatMap((resource) => describeResource(resource, verbs, options)),
  }
}

export interface LegacyOptions {
  /** Whether resources say which version they are stored in. */
  readonly storageVersionHashes: boolean
  /** What is written now, where that need not be what the release would choose: the servers may have agreed on another. */
  readonly encodingVersionOf?: (resource: DiscoverableResource) => string
}

/** The version that objects of a resource are written in by this server, now. */
export function encodingVersionOf(resource: DiscoverableResource, options: LegacyOptions): string {
  return options.encodingVersionOf?.(resource) ?? resource.codec.preferredVersion
}

function describeResource(
  resource: DiscoverableResource,
  served: ServedVerbs,
  options: LegacyOptions,
): readonly unknown[] {
  const { plural, singular, scope, kind, isReview } = resource.definition
  const { verbs, subresources, names } = shownResource(resource, served)
  const namespaced = scope === 'Namespaced'
  // Of what is stored, which need not be served: those who migrate objects go by it alone.
  const hash =
    options.storageVersionHashes &&
    !isReview &&
    storageVersionHash(encodingVersionOf(resource, options), kind)
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...names,
      ...(hash ? { storageVersionHash: hash } : {}),
    },
    ...subresources.map(([name, its, other]) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...(other ?? { kind }),
      verbs: its,
    })),
  ]
}
