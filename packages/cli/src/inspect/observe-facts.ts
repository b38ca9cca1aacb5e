import { type GroupResource, groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import type { Cluster } from '../migration/resources/cluster.ts'
import type { Look } from '../migration/resources/each-resource.ts'
import { isTransientForPage } from '../migration/run/read-with-retries.ts'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import { findStored } from '../stored/find-stored.ts'
import type { StoreSight } from '../stored/observe-store.ts'
import { decideStored, whyElsewhere, whyNotKnown } from './decide-stored.ts'
import { decideUnlisted } from './decide-unlisted.ts'
import { singleVersionRules } from './observe-admission.ts'
import { observeConversion } from './observe-conversion.ts'
import { observeObjects } from './observe-objects.ts'
import { type SharedSight, seeOr } from './observe-shared.ts'
import { type ResourceFacts, type ServedVersion, type Unseen, versionText } from './resource-facts.ts'
import { storageOf } from './storage-version.ts'

/** As many stale objects as a census names. */
const maxObjects = 20

interface FactsContext extends Pick<CliContext, 'world' | 'signal'> {
  readonly look: Look
  readonly onCount: (count: number) => void
}

/** Everything that can be seen of one resource; what cannot is in `unseen`. */
export async function observeFacts(
  cluster: Cluster,
  resource: DiscoveredResource,
  shared: SharedSight,
  store: StoreSight | undefined,
  { world, signal, look, onCount }: FactsContext,
): Promise<ResourceFacts> {
  const { client, discovery } = cluster
  const { group } = resource
  const unseen: Unseen[] = shared.unseen.filter(({ what }) => what !== 'CRDs' || group.includes('.'))
  const definition = shared.definitions.get(groupResourceText(resource))
  const served = servedVersions(resource, discovery.resources, definition)
  const evidence = await seeOr(unseen, 'storage version', undefined, signal, () =>
    look((limit) => observeEvidence(cluster, resource, limit, { maxObjects })),
  )
  const storage = storageOf(resource, definition, evidence?.target, discovery.resources, shared.release)
  if (evidence && !storage)
    unseen.push({
      what: 'storage version',
      because: 'the cluster does not publish it in a form that names it',
    })
  const listed = served.length === 0 ? undefined : listableIn(resource, storage?.version, served)
  const objects = listed
    ? await seeOr(unseen, 'objects', undefined, signal, () =>
        observeObjects(client, listed, (each) => look(each, isTransientForPage(world.clock)), onCount),
      )
    : undefined
  if (!listed) unseen.push({ what: 'objects', because: 'no version of it is served' })
  const conversion = definition
    ? await seeOr(unseen, 'objects', undefined, signal, () =>
        look((limit) => observeConversion(client, definition, resource, limit)),
      )
    : undefined
  const possible = definition?.storedVersions ?? served.map(({ version }) => version)
  const definitionThen = store?.definitions.find((each) => isSame(each, resource))
  const stored = decideStored({
    ...{ group, reading: store?.reading, census: evidence?.census },
    found: store && findStored(store.resources, resource, definition !== undefined),
    ...{ definition, definitionThen },
    ...{ storage, evidence },
    possible: [...possible, ...(storage ? [storage.version] : [])],
  })
  const unlisted = decideUnlisted(stored, definition, definitionThen)
  const unknown = whyNotKnown(stored) ?? whyElsewhere({ stored, ...(objects ? { objects } : {}) })
  if (unknown !== undefined) unseen.push({ what: 'stored versions', because: unknown })
  return {
    ...{ group, resource: resource.resource, kind: resource.kind, served, stored, unseen },
    ...(storage ? { storage } : {}),
    ...(definition ? { definition } : {}),
    ...(unlisted.length > 0 ? { unlisted } : {}),
    ...(evidence
      ? { evidence: { verdict: evidence.verdict, because: evidence.aboutVersions ?? evidence.because } }
      : {}),
    ...(objects ? { objects } : {}),
    ...(conversion && conversion.length > 0 ? { conversion } : {}),
    helmReleases: shared.helm
      .filter(
        (each) => each.kind === resource.kind && versionText(each.apiVersion, group) !== each.apiVersion,
      )
      .map(({ apiVersion, release, inUse }) => ({
        ...{ version: versionText(apiVersion, group), name: release },
        ...(inUse ? {} : { isPast: true as const }),
      })),
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

/** Listed in the version that is written, if it is served: then most objects need no conversion. */
function listableIn(
  resource: DiscoveredResource,
  written: string | undefined,
  served: readonly ServedVersion[],
): DiscoveredResource {
  const versionName = served.find(({ version }) => version === written)?.version ?? resource.versionName
  return { ...resource, versionName }
}
