import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import type { Group } from './groups.ts'
import { kindElsewhere, shownResource } from './shown-resource.ts'

/** Whether the aggregated document contains the group. A version without any server is only in the legacy documents. */
export function isAggregated({ versions }: Group): boolean {
  return versions.some(({ registered }) => registered !== 'here')
}

/** One item of the document. All items together equal all the legacy documents. */
export function groupDiscovery({ name, versions }: Group, verbs: ServedVerbs): unknown {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions
      .filter(({ registered }) => registered !== 'here')
      .map(({ versionName, resources, registered, remote }) => ({
        version: versionName,
        ...(registered ? {} : { resources: resources.map((resource) => describe(resource, verbs)) }),
        ...(remote && remote.length > 0 ? { resources: remote } : {}),
        // As long as another server is away, its resources are unknown.
        freshness: registered && !remote ? 'Stale' : 'Current',
      })),
  }
}

/** The document around its items; `v2beta1` differs from `v2` by its name only. */
export function groupDiscoveryList(versionName: string, items: readonly Uint8Array[]): Uint8Array {
  const head = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${versionName}`,
    metadata: {},
  }
  const opening = `${JSON.stringify(head).slice(0, -1)},"items":[`
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))
  return Buffer.concat([Buffer.from(opening), ...parts, Buffer.from(']}\n')])
}

const comma = Buffer.from(',')

function describe(resource: DiscoverableResource, served: ServedVerbs): unknown {
  const { group, versionName, definition } = resource
  const { plural, singular, scope, kind, isCustom } = definition
  const { verbs, subresources, names } = shownResource(resource, served)
  // Where group and version are those of the document, upstream names them for custom kinds only.
  const responseKind =
    kindElsewhere(resource) ??
    (isCustom ? { group, version: versionName, kind } : { group: '', version: '', kind })
  const parts = subresources.map(([subresource, its, other]) => ({
    subresource,
    responseKind: other ?? responseKind,
    verbs: its,
  }))
  return {
    resource: plural,
    responseKind,
    scope,
    singularResource: singular,
    verbs,
    ...names,
    ...(parts.length > 0 ? { subresources: parts } : {}),
  }
}
