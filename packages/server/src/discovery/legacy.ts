import { storageVersionHash } from '@strata/api'
import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import { type Group, type GroupVersion, inLegacyOrder } from './groups.ts'
import { kindElsewhere, shownResource } from './shown-resource.ts'

/** `/apis`: every group but the core group, which has a root of its own. */
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
    // Upstream omits it for the core group, and clients rely on that.
    ...(apiVersion.includes('/') ? { apiVersion: 'v1' } : {}),
    groupVersion: apiVersion,
    resources: resources.flatMap((resource) => describeResource(resource, verbs, options)),
  }
}

export interface LegacyOptions {
  /** Whether resources have a storageVersionHash. */
  readonly storageVersionHashes: boolean
  /** The version that is written now; the servers may have agreed on another than the release prefers. */
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
  const elsewhere = kindElsewhere(resource)
  // The hash of the stored version, which need not be served: migrators rely on it alone. A view has nothing to migrate.
  const hash =
    options.storageVersionHashes &&
    !isReview &&
    !elsewhere &&
    storageVersionHash(encodingVersionOf(resource, options), kind)
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      ...(elsewhere ?? { kind }),
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
