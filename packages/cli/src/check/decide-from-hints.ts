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
  storedVersionsDoubt,
  type UpgradeReview,
  unknownVersion,
} from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { DeclaredResource } from '@strata/insight'

/** The facts that a cluster without agreement records shows. */
export interface ClusterHints {
  readonly discovered: readonly DiscoveredResource[]
  readonly definitions: readonly CustomResourceDefinition[]
  /** Why the CRDs could not be listed, and what to do; absent if they were. */
  readonly definitionsUnseen?: string | undefined
  readonly states: readonly StorageState[]
  readonly storageVersions: readonly StorageVersion[]
  /** Storage version hashes from discovery, by `deployments.apps`. */
  readonly hashes: ReadonlyMap<string, string>
  /** By the wall clock, to compare with heartbeats that other machines wrote. */
  readonly nowMs: number
}

/** Twice the heartbeat period of the trigger (docs/reference/upstream-behaviour.md, S7). An older state may miss versions. */
const heartbeatLimitMs = 2 * 10 * 60_000

type Answer = NonNullable<UpgradeReview['status']>

/**
 * The verdict for a cluster that cannot read its own store for us.
 * - storedVersions of a CRD: servers add every version that they store and never remove one. So it names all that may be
 *   stored, unless it was pruned too early.
 * - A StorageState does the same with hashes, while a trigger maintains it.
 * - StorageVersions and discovery show what is written now, and nothing of the past: enough for "Unsafe", never for "Safe".
 * - For every other resource nothing is known.
 */
export function decideFromHints(hints: ClusterHints, declared: readonly DeclaredResource[]): Answer {
  const resources = storedResources(hints, declared)
  const persisted = resources.map((each) => persistedOf(each, hints, declared))
  const target = resources.map((each) => decodableOf(each, hints, declared))
  return explainUpgrade(decideUpgrade({ persisted, target, isTargetComplete: false }), { persisted, target })
}

/** All resources that may be stored: those with create and list, and those that a hint names. */
function storedResources(
  { discovered, definitions, states, storageVersions }: ClusterHints,
  declared: readonly DeclaredResource[],
): GroupResource[] {
  const all: GroupResource[] = [
    ...discovered.filter(({ verbs }) => verbs.includes('list') && verbs.includes('create')),
    ...definitions.map(resourceOfCrd),
    ...states.map(resourceOfState),
    ...storageVersions.map(resourceOfStorageVersion),
    ...declared,
  ]
  const named = new Map(all.map(({ group, resource }) => [`${group}/${resource}`, { group, resource }]))
  return [...named.values()]
}

function persistedOf(
  { group, resource }: GroupResource,
  hints: ClusterHints,
  declared: readonly DeclaredResource[],
): PersistedResource {
  const name = groupResourceText({ group, resource })
  const is = (each: GroupResource): boolean => groupResourceText(each) === name
  const definition = hints.definitions.find((each) => is(resourceOfCrd(each)))
  if (definition) return { group, resource, ...fromCrd(definition) }
  const names = hashedVersions({ group, resource }, hints, declared)
  const now = writtenNow({ group, resource }, hints).map((each) => names.get(each) ?? each)
  const state = hints.states.find((each) => is(resourceOfState(each)))
  if (state) {
    const persisted = persistedHashesOf(state).map((hash) => names.get(hash) ?? hash)
    const unseen = whyStale(state, hints.nowMs)
    return { group, resource, persisted: sorted([...persisted, ...now]), ...(unseen ? { unseen } : {}) }
  }
  if (now.length > 0) return { group, resource, persisted: sorted([...now, unknownVersion]) }
  const isServed = hints.discovered.some(is)
  const without = whyNoCrd({ group }, hints) ?? 'it has no CRD and no StorageState'
  return { group, resource, unseen: isServed ? without : 'the cluster has no such resource' }
}

/** Groups of CRDs have a dot. Without the right to list CRDs, what their resources store is not theirs to blame. */
const whyNoCrd = (
  { group }: Pick<GroupResource, 'group'>,
  { definitionsUnseen }: ClusterHints,
): string | undefined => (group.includes('.') ? definitionsUnseen : undefined)

const sorted = (versions: readonly string[]): string[] => [...new Set(versions)].sort()

function fromCrd(definition: CustomResourceDefinition): Omit<PersistedResource, keyof GroupResource> {
  const stored = definition.status?.storedVersions ?? []
  const written = storageVersionNameOf(definition)
  const named = written === undefined ? stored : [...stored, written]
  const persisted = sorted(named.map((each) => apiVersionOf(definition.spec.group, each)))
  // Servers write it before they store an object: a client emptied an empty list, or no server wrote it.
  if (stored.length === 0) return { persisted, unseen: 'its CRD has no storedVersions' }
  const unseen = storedVersionsDoubt(definition)
  return unseen === undefined ? { persisted } : { persisted, unseen }
}

/** Versions and hashes that servers write now. */
export function writtenNow(resource: GroupResource, { storageVersions, hashes }: ClusterHints): string[] {
  const name = groupResourceText(resource)
  const published = storageVersions.find((each) => groupResourceText(resourceOfStorageVersion(each)) === name)
  const encodingVersions = (published?.status?.storageVersions ?? []).map((each) => each.encodingVersion)
  const hash = hashes.get(name)
  return [...encodingVersions, ...(hash === undefined ? [] : [hash])]
}

/** An unmaintained state misses versions. A heartbeat far in the future only shows that the clocks differ. */
export function whyStale({ status }: StorageState, nowMs: number): string | undefined {
  const heartbeat = status?.lastHeartbeatTime
  if (!heartbeat) return 'its StorageState has no heartbeat'
  const isFresh = Math.abs(nowMs - Date.parse(heartbeat)) <= heartbeatLimitMs
  return isFresh ? undefined : `its StorageState is stale: the last heartbeat was at ${heartbeat}`
}

/** The versions behind the hashes, as far as discovery and the flags name them. */
function hashedVersions(
  resource: GroupResource,
  { discovered }: ClusterHints,
  declared: readonly DeclaredResource[],
): ReadonlyMap<string, string> {
  const name = groupResourceText(resource)
  const served = discovered.filter((each) => groupResourceText(each) === name)
  const [kind] = served.map((each) => each.kind)
  if (kind === undefined) return new Map()
  const versions = [
    ...served.map(({ group, versionName }) => apiVersionOf(group, versionName)),
    ...declared
      .filter((each) => groupResourceText(each) === name)
      .flatMap(({ decodableVersions }) => decodableVersions),
  ]
  return new Map(versions.map((each) => [storageVersionHash(each, kind), each]))
}

function decodableOf(
  { group, resource }: GroupResource,
  hints: ClusterHints,
  declared: readonly DeclaredResource[],
): DecodableResource {
  const name = groupResourceText({ group, resource })
  const declaration = declared.find((each) => groupResourceText(each) === name)
  if (declaration) return { group, resource, decodable: declaration.decodableVersions }
  const definition = hints.definitions.find((each) => groupResourceText(resourceOfCrd(each)) === name)
  // Every release reads all versions of a CRD, served or not, as long as the CRD stays as it is.
  if (definition) {
    const decodable = (definition.spec.versions ?? []).map((each) => apiVersionOf(group, each.name))
    return { group, resource, decodable: decodable.sort() }
  }
  const without = whyNoCrd({ group }, hints)
  return { group, resource, unseen: without ?? `give --decodable ${name}=…` }
}

export const resourceOfCrd = ({ spec }: CustomResourceDefinition): GroupResource => ({
  group: spec.group,
  resource: spec.names.plural,
})

export const resourceOfState = ({ spec }: StorageState): GroupResource => ({
  group: spec.resource.group ?? '',
  resource: spec.resource.resource,
})

/** The name is `<group>.<resource>`, with `core` for the core group; a resource has no dot. */
export function resourceOfStorageVersion({ metadata }: StorageVersion): GroupResource {
  const name = metadata.name ?? ''
  const dot = name.lastIndexOf('.')
  const group = name.slice(0, dot)
  return { group: group === 'core' ? '' : group, resource: name.slice(dot + 1) }
}
