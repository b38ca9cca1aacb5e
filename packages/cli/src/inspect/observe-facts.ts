import { apiVersionOf, type GroupResource, groupResourceText, storageVersionHash } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import type { Cluster } from '../migration/resources/cluster.ts'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import type { StoreSight } from '../stored/observe-store.ts'
import { decideStored, whyNotKnown } from './decide-stored.ts'
import { singleVersionRules } from './observe-admission.ts'
import { observeConversion } from './observe-conversion.ts'
import { observeObjects } from './observe-objects.ts'
import { type SharedSight, seeOr } from './observe-shared.ts'
import {
  type ResourceFacts,
  type ServedVersion,
  storageSources,
  type Unseen,
  versionText,
} from './resource-facts.ts'

/** As many stale objects as a census names. */
const maxObjects = 20

/** Everything that can be seen of one resource; what cannot is in `unseen`. */
export async function observeFacts(
  cluster: Cluster,
  resource: DiscoveredResource,
  shared: SharedSight,
  store: StoreSight | undefined,
  signal: AbortSignal,
  onCount?: (count: number) => void,
): Promise<ResourceFacts> {
  const { client, discovery } = cluster
  const { group } = resource
  const unseen: Unseen[] = shared.unseen.filter(({ what }) => what !== 'CRDs' || group.includes('.'))
  const definition = shared.definitions.get(groupResourceText(resource))
  const served = servedVersions(resource, discovery.resources, definition)
  const evidence = await seeOr(unseen, 'storage version', undefined, signal, () =>
    observeEvidence(cluster, resource, signal, { maxObjects }),
  )
  const storage = storageOf(resource, definition, evidence, discovery.resources)
  if (evidence && !storage)
    unseen.push({
      what: 'storage version',
      because: 'the cluster does not publish it in a form that names it',
    })
  const listed = served.length === 0 ? undefined : listableIn(resource, storage?.version, served)
  const objects = listed
    ? await seeOr(unseen, 'objects', undefined, signal, () => observeObjects(client, listed, signal, onCount))
    : undefined
  if (!listed) unseen.push({ what: 'objects', because: 'no version of it is served' })
  const conversion = definition
    ? await seeOr(unseen, 'objects', undefined, signal, () =>
        observeConversion(client, definition, resource, signal),
      )
    : undefined
  const possible = definition?.storedVersions ?? served.map(({ version }) => version)
  const stored = decideStored({
    ...{ group, reading: store?.reading, census: evidence?.census },
    stored: store?.resources.find((each) => isSame(each, resource)),
    ...{ storage, evidence },
    possible: [...possible, ...(storage ? [storage.version] : [])],
  })
  const unknown = whyNotKnown(stored)
  if (unknown !== undefined) unseen.push({ what: 'stored versions', because: unknown })
  return {
    ...{ group, resource: resource.resource, kind: resource.kind, served, stored, unseen },
    ...(storage ? { storage } : {}),
    ...(definition ? { definition } : {}),
    ...(evidence ? { evidence: { verdict: evidence.verdict, because: evidence.because } } : {}),
    ...(objects ? { objects } : {}),
    ...(conversion && conversion.length > 0 ? { conversion } : {}),
    helmReleases: shared.helm
      .filter(
        (each) => each.kind === resource.kind && versionText(each.apiVersion, group) !== each.apiVersion,
      )
      .map(({ apiVersion, release }) => ({ version: versionText(apiVersion, group), name: release })),
    webhooks: singleVersionRules(resource, shared.admission),
  }
}

export const isSame = (a: GroupResource, b: GroupResource): boolean =>
  a.group === b.group && a.resource === b.resource

function servedVersions(
  resource: GroupResource,
  discovered: readonly DiscoveredResource[],
  definition: DefinitionFacts | undefined,
): readonly ServedVersion[] {
  const versions = discovered.filter((each) => isSame(each, resource)).map(({ versionName }) => versionName)
  return versions.map((version) => ({
    version,
    deprecated: definition?.versions.some(({ name, deprecated }) => name === version && deprecated) ?? false,
  }))
}

type Evidence = Awaited<ReturnType<typeof observeEvidence>>

/** The version that is written. A hash names none, but each served version has one. */
function storageOf(
  { group, resource, kind }: DiscoveredResource,
  definition: DefinitionFacts | undefined,
  evidence: Evidence | undefined,
  discovered: readonly DiscoveredResource[],
): ResourceFacts['storage'] {
  const { target } = evidence ?? {}
  const source = target ? storageSources[target.how] : ''
  if (target?.encodingVersion !== undefined)
    return { version: versionText(target.encodingVersion, group), source }
  const written = definition?.versions.find((each) => each.storage)
  if (written) return { version: written.name, source: storageSources.definition }
  if (target?.hash === undefined) return undefined
  const hashed = discovered
    .filter((each) => each.resource === resource)
    .map((each) => apiVersionOf(each.group, each.versionName))
    .find((apiVersion) => storageVersionHash(apiVersion, kind) === target.hash)
  return hashed === undefined ? undefined : { version: versionText(hashed, group), source }
}

/** Listed in the version that is written, if it is served: then most objects need no conversion. */
function listableIn(
  resource: DiscoveredResource,
  written: string | undefined,
  served: readonly ServedVersion[],
): DiscoveredResource {
  const versionName = served.find(({ version }) => version === written)?.version ?? resource.versionName
  return { ...resource, versionName }
}
