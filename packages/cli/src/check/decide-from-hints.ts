import {
  apiVersionOf,
  type CustomResourceDefinition,
  type DecodableResource,
  decideUpgrade,
  explainUpgrade,
  type GroupResource,
  groupResourceText,
  type PersistedResource,
  persistedHashesOf,
  type StorageState,
  type StorageVersion,
  storageVersionHash,
  storageVersionNameOf,
  type UpgradeReview,
  unknownVersion,
} from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { ToldResource } from './told-decodable.ts'

/** What a cluster shows that has no agreement records. */
export interface ClusterHints {
  readonly discovered: readonly DiscoveredResource[]
  readonly definitions: readonly CustomResourceDefinition[]
  readonly states: readonly StorageState[]
  readonly storageVersions: readonly StorageVersion[]
  /** What discovery shows, by `deployments.apps`, where it was asked. */
  readonly hashes: ReadonlyMap<string, string>
  /** By the wall clock: heartbeats were written by others. */
  readonly nowMs: number
}

/** Twice the period of whoever keeps StorageStates (behaviour.md, S7). A state that is older may have missed anything. */
const heartbeatLimitMs = 2 * 10 * 60_000

type Answer = NonNullable<UpgradeReview['status']>

/**
 * The verdict where nobody can be asked what is stored. The servers add to a definition's storedVersions whatever they store, and
 * never take anything from it: it names all that may be stored unless somebody has cut it too early. A StorageState does
 * the same by hashes, as long as somebody keeps it. StorageVersions and discovery say what is written now and nothing of
 * the past: enough for a no, never for a yes. Of everything else that is stored nothing can be seen.
 */
export function decideFromHints(hints: ClusterHints, told: readonly ToldResource[]): Answer {
  const resources = storedResources(hints, told)
  const persisted = resources.map((each) => persistedOf(each, hints, told))
  const target = resources.map((each) => decodableOf(each, hints, told))
  return explainUpgrade(decideUpgrade({ persisted, target, isTargetComplete: false }), { persisted, target })
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
  if (definition) return { group, resource, ...fromDefinition(definition) }
  const names = hashedVersions({ group, resource }, hints, told)
  const now = writtenNow({ group, resource }, hints).map((each) => names.get(each) ?? each)
  const state = hints.states.find((each) => is(resourceOfState(each)))
  if (state) {
    const persisted = persistedHashesOf(state).map((hash) => names.get(hash) ?? hash)
    const unseen = whyNotKept(state, hints.nowMs)
    return { group, resource, persisted: sorted([...persisted, ...now]), ...(unseen ? { unseen } : {}) }
  }
  if (now.length > 0) return { group, resource, persisted: sorted([...now, unknownVersion]) }
  const isServed = hints.discovered.some(is)
  return {
    ...{ group, resource },
    unseen: isServed ? 'it has no definition and no StorageState' : 'the cluster has no such resource',
  }
}

const sorted = (versions: readonly string[]): string[] => [...new Set(versions)].sort()

function fromDefinition(definition: CustomResourceDefinition): Omit<PersistedResource, keyof GroupResource> {
  const stored = definition.status?.storedVersions ?? []
  const written = storageVersionNameOf(definition)
  const named = written === undefined ? stored : [...stored, written]
  const persisted = sorted(named.map((each) => apiVersionOf(definition.spec.group, each)))
  // Servers write it before anything is stored: an empty one was emptied, or never written by them.
  if (stored.length === 0) return { persisted, unseen: 'its definition has no storedVersions' }
  // Upstream cuts storedVersions down after a migration that has failed as well, and the next attempt hides that it had
  // (behaviour.md 7.2, Q1). Only one that has succeeded is a reason to believe a short list.
  const migrating = definition.status?.conditions?.find(({ type }) => type === 'StorageMigrating')
  if (migrating === undefined || migrating.reason === 'MigrationSucceeded') return { persisted }
  const why = `storedVersions may have been cut too early (StorageMigrating: ${migrating.reason ?? migrating.status})`
  return { persisted, unseen: why }
}

/** Versions and hashes that servers write now, whatever else there may be. */
function writtenNow(resource: GroupResource, { storageVersions, hashes }: ClusterHints): string[] {
  const name = groupResourceText(resource)
  const published = storageVersions.find((each) => groupResourceText(resourceOfStorageVersion(each)) === name)
  const encodingVersions = (published?.status?.storageVersions ?? []).map((each) => each.encodingVersion)
  const hash = hashes.get(name)
  return [...encodingVersions, ...(hash === undefined ? [] : [hash])]
}

/** What was written while nobody kept the state is not in it; a time that is yet to come says only that clocks differ. */
function whyNotKept({ status }: StorageState, nowMs: number): string | undefined {
  const heartbeat = status?.lastHeartbeatTime
  if (!heartbeat) return 'its StorageState has no heartbeat'
  const isKept = Math.abs(nowMs - Date.parse(heartbeat)) <= heartbeatLimitMs
  return isKept ? undefined : `nobody keeps its StorageState: the last heartbeat is of ${heartbeat}`
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
