import {
  apiVersionOf,
  type CustomResourceDefinition,
  type DecodableResource,
  decideUpgrade,
  type GroupResource,
  groupResourceText,
  type PersistedResource,
  persistedHashesOf,
  type StorageState,
  type StorageVersion,
  type UpgradeReview,
  unknownVersion,
} from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { storageVersionHash } from './storage-version-hash.ts'
import type { ToldResource } from './told-decodable.ts'

/** What a cluster shows that has no agreement records. */
export interface ClusterHints {
  readonly discovered: readonly DiscoveredResource[]
  readonly definitions: readonly CustomResourceDefinition[]
  readonly states: readonly StorageState[]
  readonly storageVersions: readonly StorageVersion[]
}

type Answer = NonNullable<UpgradeReview['status']>

/**
 * The verdict where nobody can be asked what is stored. A definition's storedVersions are kept by the servers, and name all that
 * may be stored; so does a StorageState, by hashes. A StorageVersion says what is written now and nothing of the past: enough for
 * a no, never for a yes. Of everything else that is stored nothing can be seen.
 */
export function decideFromHints(hints: ClusterHints, told: readonly ToldResource[]): Answer {
  const resources = storedResources(hints, told)
  const persisted = resources.map((each) => persistedOf(each, hints, told))
  const target = resources.map((each) => decodableOf(each, hints, told))
  const { verdict, resources: verdicts } = decideUpgrade({ persisted, target, isTargetComplete: false })
  const persistedBy = new Map(persisted.map((each) => [groupResourceText(each), each.persisted]))
  const decodableBy = new Map(target.map((each) => [groupResourceText(each), each.decodable]))
  return {
    verdict,
    resources: verdicts.map((each) => {
      const persistedVersions = persistedBy.get(groupResourceText(each))
      const decodableVersions = decodableBy.get(groupResourceText(each))
      return {
        ...each,
        ...(persistedVersions ? { persistedVersions } : {}),
        ...(decodableVersions ? { decodableVersions } : {}),
      }
    }),
  }
}

/** All that is stored: what can be made and listed, and whatever the hints are about. */
function storedResources(
  { discovered, definitions, states, storageVersions }: ClusterHints,
  told: readonly ToldResource[],
): GroupResource[] {
  const all: GroupResource[] = [
    ...discovered.filter(({ verbs }) => verbs.includes('list') && verbs.includes('create')),
    ...definitions.map(resourceOfDefinition),
    ...states.map(resourceOfState),
    ...storageVersions.map(resourceOfStorageVersion),
    ...told,
  ]
  const named = new Map(all.map(({ group, resource }) => [`${group}/${resource}`, { group, resource }]))
  return [...named.values()]
}

function persistedOf(
  { group, resource }: GroupResource,
  hints: ClusterHints,
  told: readonly ToldResource[],
): PersistedResource {
  const name = groupResourceText({ group, resource })
  const is = (each: GroupResource): boolean => groupResourceText(each) === name
  const definition = hints.definitions.find((each) => is(resourceOfDefinition(each)))
  if (definition) {
    const versions = definition.status?.storedVersions ?? []
    return { group, resource, persisted: versions.map((each) => apiVersionOf(group, each)).sort() }
  }
  const state = hints.states.find((each) => is(resourceOfState(each)))
  if (state) {
    const names = hashedVersions({ group, resource }, hints, told)
    const persisted = persistedHashesOf(state).map((hash) => names.get(hash) ?? hash)
    return { group, resource, persisted: persisted.toSorted() }
  }
  const written = hints.storageVersions.find((each) => is(resourceOfStorageVersion(each)))
  if (written) {
    const now = (written.status.storageVersions ?? []).map(({ encodingVersion }) => encodingVersion)
    return { group, resource, persisted: [...new Set([...now, unknownVersion])].sort() }
  }
  const isServed = hints.discovered.some(is)
  return {
    ...{ group, resource },
    unseen: isServed ? 'it has no definition and no StorageState' : 'the cluster has no such resource',
  }
}

/** A hash tells nothing of its version; those of all versions that anyone has named can be compared with it. */
function hashedVersions(
  resource: GroupResource,
  { discovered }: ClusterHints,
  told: readonly ToldResource[],
): ReadonlyMap<string, string> {
  const name = groupResourceText(resource)
  const served = discovered.filter((each) => groupResourceText(each) === name)
  const [kind] = served.map((each) => each.kind)
  if (kind === undefined) return new Map()
  const versions = [
    ...served.map(({ group, versionName }) => apiVersionOf(group, versionName)),
    ...told
      .filter((each) => groupResourceText(each) === name)
      .flatMap(({ decodableVersions }) => decodableVersions),
  ]
  return new Map(versions.map((each) => [storageVersionHash(each, kind), each]))
}

function decodableOf(
  { group, resource }: GroupResource,
  { definitions }: ClusterHints,
  told: readonly ToldResource[],
): DecodableResource {
  const name = groupResourceText({ group, resource })
  const said = told.find((each) => groupResourceText(each) === name)
  if (said) return { group, resource, decodable: said.decodableVersions }
  const definition = definitions.find((each) => groupResourceText(resourceOfDefinition(each)) === name)
  // Every release reads what a definition has, served or not; the definition has to stay as it is, which is said.
  if (definition) {
    const decodable = (definition.spec.versions ?? []).map((each) => apiVersionOf(group, each.name))
    return { group, resource, decodable: decodable.sort() }
  }
  return { group, resource, unseen: `say it with --decodable ${name}=…` }
}

const resourceOfDefinition = ({ spec }: CustomResourceDefinition): GroupResource => ({
  group: spec.group,
  resource: spec.names.plural,
})

const resourceOfState = ({ spec }: StorageState): GroupResource => ({
  group: spec.resource.group ?? '',
  resource: spec.resource.resource,
})

/** Its name is `<group>.<resource>`, with `core` for the core group; a resource has no dot. */
function resourceOfStorageVersion({ metadata }: StorageVersion): GroupResource {
  const name = metadata.name ?? ''
  const dot = name.lastIndexOf('.')
  const group = name.slice(0, dot)
  return { group: group === 'core' ? '' : group, resource: name.slice(dot + 1) }
}
