import type { DiscoverableApi, DiscoverableResource } from './discoverable.ts'
import { byVersionPriority } from './version-priority.ts'

/** The resources of one version of one group. */
export interface GroupVersion {
  readonly versionName: string
  readonly apiVersion: string
  /** By name. */
  readonly resources: readonly DiscoverableResource[]
}

export interface Group {
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly GroupVersion[]
}

/**
 * Upstream's order: kubectl takes the first group that has a resource of the name it was given. Groups that are not
 * here come after those that are, by name.
 */
const priorities = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'resource.k8s.io',
  'storagemigration.k8s.io',
]

const ranks: ReadonlyMap<string, number> = new Map(priorities.map((group, index) => [group, index]))
const rank = ({ name }: Group): number => ranks.get(name) ?? priorities.length

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Everything that is served, in the order of the aggregated document. What is as it was in `before` is the same object
 * again: what has been said about it still holds.
 */
export function groupsOf({ resources }: DiscoverableApi, before: readonly Group[] = []): readonly Group[] {
  const known = new Map(before.map((group) => [group.name, group]))
  return [...gather(resources, ({ group }) => group)]
    .map(([name, mine]) => groupOf(name, mine, known.get(name)))
    .sort((a, b) => rank(a) - rank(b) || byText(a.name, b.name))
}

/**
 * The order of `/apis`, where upstream compares version and group in one word: all groups that have a v1 come before
 * those that have nothing but a v1alpha1.
 */
export function inLegacyOrder(groups: readonly Group[]): readonly Group[] {
  const named = groups.map((group) => {
    const [word = ''] = group.versions.map(({ versionName }) => `${versionName}.${group.name}`).sort()
    return { group, word }
  })
  named.sort((a, b) => rank(a.group) - rank(b.group) || byText(a.word, b.word))
  return named.map(({ group }) => group)
}

function groupOf(name: string, resources: readonly DiscoverableResource[], before: Group | undefined): Group {
  const known = new Map(before?.versions.map((version) => [version.versionName, version]))
  const found = [...gather(resources, ({ versionName }) => versionName)]
  // Whoever writes definitions lists versions by preference, and a custom kind must not push itself before a built-in one.
  const isCustom = ([, mine]: (typeof found)[number]): boolean =>
    mine.every((each) => each.definition.isCustom)
  const versions = [
    ...found.filter((each) => !isCustom(each)),
    ...found.filter(isCustom).sort(([a], [b]) => byVersionPriority(a, b)),
  ].map(([versionName, mine]) => versionOf(versionName, mine, known.get(versionName)))
  return before && isSame(before.versions, versions) ? before : { name, versions }
}

function versionOf(
  versionName: string,
  mine: readonly DiscoverableResource[],
  before: GroupVersion | undefined,
): GroupVersion {
  const resources = mine.toSorted((a, b) => byText(a.definition.plural, b.definition.plural))
  if (before && isSame(before.resources, resources)) return before
  return { versionName, apiVersion: resources[0]?.apiVersion ?? versionName, resources }
}

/** By key, in the order in which the keys were found. */
function gather<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>()
  for (const value of values) {
    const others = found.get(keyOf(value))
    if (others) others.push(value)
    else found.set(keyOf(value), [value])
  }
  return found
}

function isSame<T>(before: readonly T[], now: readonly T[]): boolean {
  return before.length === now.length && now.every((each, index) => each === before[index])
}
