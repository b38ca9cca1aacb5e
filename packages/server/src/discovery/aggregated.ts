import type { DiscoverableResource, ServedVerbs } from './discoverable.ts'
import type { Group } from './groups.ts'
import { shownResource } from './shown-resource.ts'

/** Whether the document has something to say of it. Of a version that is to be had nowhere, only the old ones tell. */
export function isAggregated({ versions }: Group): boolean {
  return versions.some(({ registered }) => registered !== 'here')
}

/** One of the items of the document. All of them together say the same as all the legacy documents. */
export function groupDiscovery({ name, versions }: Group, verbs: ServedVerbs): unknown {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions
      .filter(({ registered }) => registered !== 'here')
      .map(({ versionName, resources, registered }) => ({
        version: versionName,
        ...(registered ? {} : { resources: resources.map((resource) => describe(resource, verbs)) }),
        // What another server has is not known here.
        freshness: registered ? 'Stale' : 'Current',
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
  const responseKind = isCustom ? { group, version: versionName, kind } : { group: '', version: '', kind }
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
