import { apiVersionOf, byVersionPriority } from '@strata/api'
import type { DiscoverableApi, DiscoverableResource, RegisteredVersion } from './discoverable.ts'
import { groupPriority, prioritiesOf } from './group-priorities.ts'

/** The resources of one version of one group. */
export interface GroupVersion {
  readonly versionName: string
  readonly apiVersion: string
  /** By name. */
  readonly resources: readonly DiscoverableResource[]
  /** For a version that only an APIService names: whether that names another server. */
  readonly registered?: 'here' | 'elsewhere'
  /** The resources of the other server in the aggregated form; undefined while they are unknown. */
  readonly remote?: readonly unknown[] | undefined
}

export interface Group {
  readonly name: string
  /** kubectl takes the first group with a resource of the given name: the one with the highest priority. */
  readonly priority: number
  /** The preferred one first. */
  readonly versions: readonly GroupVersion[]
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** All served resources, in the order of the aggregated document. Unchanged parts of `before` and their documents are reused. */
export function groupsOf(
  { resources, registered = [] }: DiscoverableApi,
  before: readonly Group[] = [],
): readonly Group[] {
  const known = new Map(before.map((group) => [group.name, group]))
  const elsewhere = new Set(registered.filter((each) => each.isRemote).map(apiVersionIn))
  const here =
    elsewhere.size === 0 ? resources : resources.filter((each) => !elsewhere.has(apiVersionIn(each)))
  const served = new Set(registered.length === 0 ? [] : here.map(apiVersionIn))
  const alone = registered.filter((each) => !served.has(apiVersionIn(each)))
  const mine = gather(here, ({ group }) => group)
  const others = gather(alone, ({ group }) => group)
  return [...new Set([...mine.keys(), ...others.keys()])]
    .map((name) => groupOf(name, mine.get(name) ?? [], others.get(name) ?? [], known.get(name)))
    .sort((a, b) => b.priority - a.priority || byText(a.name, b.name))
}

/** The version of the path. */
const apiVersionIn = ({ group, versionName }: Pick<RegisteredVersion, 'group' | 'versionName'>): string =>
  apiVersionOf(group, versionName)

/** The order of `/apis`: by priority, then by version and group in one word, as upstream. So a v1 precedes a v1alpha1. */
export function inLegacyOrder(groups: readonly Group[]): readonly Group[] {
  const named = groups.map((group) => {
    const [word = ''] = group.versions.map(({ versionName }) => `${versionName}.${group.name}`).sort()
    return { group, word }
  })
  named.sort((a, b) => b.group.priority - a.group.priority || byText(a.word, b.word))
  return named.map(({ group }) => group)
}

function groupOf(
  name: string,
  resources: readonly DiscoverableResource[],
  registered: readonly RegisteredVersion[],
  before: Group | undefined,
): Group {
  const known = new Map(before?.versions.map((version) => [version.versionName, version]))
  const found = [...gather(resources, ({ versionName }) => versionName)]
  // Built-in versions keep their order, and precede those of CRDs, which are sorted by version priority.
  const isCustom = ([, mine]: (typeof found)[number]): boolean =>
    mine.every((each) => each.definition.isCustom)
  const local = [
    ...found.filter((each) => !isCustom(each)),
    ...found.filter(isCustom).sort(([a], [b]) => byVersionPriority(a, b)),
  ].map(([versionName, mine]) =>
    versionOf(apiVersionIn({ group: name, versionName }), versionName, mine, known.get(versionName)),
  )
  const versions = registered.length === 0 ? local : withRegistered(name, local, registered, known)
  const priority = Math.max(groupPriority(name), ...registered.map((each) => each.groupPriority))
  const isAsBefore = before?.priority === priority && isSame(before.versions, versions)
  return isAsBefore ? before : { name, priority, versions }
}

/** All versions, by the numbers of their APIServices. */
function withRegistered(
  group: string,
  local: readonly GroupVersion[],
  registered: readonly RegisteredVersion[],
  known: ReadonlyMap<string, GroupVersion>,
): readonly GroupVersion[] {
  const numbers = new Map(registered.map((each) => [each.versionName, each.versionPriority]))
  const numberOf = (versionName: string): number =>
    numbers.get(versionName) ?? prioritiesOf(group, versionName).version
  const alone = registered.map(({ versionName, isRemote, resources: remote }): GroupVersion => {
    const place = isRemote ? 'elsewhere' : 'here'
    const before = known.get(versionName)
    if (before?.registered === place && before.remote === remote) return before
    return { versionName, apiVersion: `${group}/${versionName}`, resources: [], registered: place, remote }
  })
  return [...local, ...alone].sort(
    (a, b) =>
      numberOf(b.versionName) - numberOf(a.versionName) || byVersionPriority(a.versionName, b.versionName),
  )
}

function versionOf(
  apiVersion: string,
  versionName: string,
  mine: readonly DiscoverableResource[],
  before: GroupVersion | undefined,
): GroupVersion {
  const resources = mine.toSorted((a, b) => byText(a.definition.plural, b.definition.plural))
  if (before && !before.registered && isSame(before.resources, resources)) return before
  return { versionName, apiVersion, resources }
}

/** By key, in the order of first occurrence. */
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
