import { apiVersionOf } from '@strata/api'
import type { StorageFixture } from './go-source.ts'
import type { KnownGroup, KnownVersion, ReleaseFiles } from './read-release.ts'

/** One resource in one release. Versions by their full names: `apps/v1`. */
export interface ResourceFacts {
  /** `deployments.apps` */
  readonly name: string
  readonly kind: string
  readonly served: readonly string[]
  /** Served only if a flag (`--runtime-config`, or a feature gate) says so. */
  readonly optional: readonly string[]
  /** The resource whose objects it shows, if not its own. */
  readonly showsObjectsOf?: string
  readonly stored?: string
  readonly decodable: readonly string[]
}

/** Everything that this release stores, by the flags that it has without any. */
export function decideFacts(release: ReleaseFiles): ResourceFacts[] {
  const groups = new Map(release.groups.map((each) => [each.group, each]))
  const isServable = ({ group, removed }: StorageFixture): boolean =>
    groups.has(group) && (removed === undefined || removed > release.minor)
  const fixtures = release.fixtures.filter(isServable)
  const names = new Set(fixtures.map(nameOf))
  const facts = [...names].sort().map((name) =>
    factsOf(
      fixtures.filter((each) => nameOf(each) === name),
      fixtures,
      groups,
      release,
    ),
  )
  // The storage tests go on for a while after the last version is removed.
  return facts.filter(({ served, optional }) => served.length + optional.length > 0)
}

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === '' ? resource : `${resource}.${group}`

function factsOf(
  own: readonly StorageFixture[],
  all: readonly StorageFixture[],
  groups: ReadonlyMap<string, KnownGroup>,
  release: ReleaseFiles,
): ResourceFacts {
  const [first] = own
  const group = first && groups.get(first.group)
  if (!first || !group) throw new Error('a resource without a group')
  const name = nameOf(first)
  const kind = kindOf(first.resource, group)
  const offered = own
    .filter(({ versionName }) => !isRemoved(group, versionName, kind, release.minor))
    .map(({ versionName }) => ({
      apiVersion: apiVersionOf(group.group, versionName),
      isOn: isEnabled(group, versionName, first.resource, release),
    }))
  const served = offered.filter(({ isOn }) => isOn).map(({ apiVersion }) => apiVersion)
  const optional = offered.filter(({ isOn }) => !isOn).map(({ apiVersion }) => apiVersion)
  const storedGroup = own.map(({ storedAs }) => storedAs?.group).find((each) => each !== undefined)
  if (storedGroup !== undefined && storedGroup !== group.group) {
    const showsObjectsOf = nameOf({ group: storedGroup, resource: first.resource })
    return { name, kind, served, optional, showsObjectsOf, decodable: [] }
  }
  return {
    ...{ name, kind, served, optional },
    stored: apiVersionOf(group.group, storedVersion(own, group, kind, release)),
    decodable: decodableOf(own, all, group, kind, groups),
  }
}

/** The registered kind whose plural is the resource. */
function kindOf(resource: string, { group, kinds, versions }: KnownGroup): string {
  const all = [...kinds, ...versions.flatMap((each) => each.kinds)]
  const kind = all.find((each) => {
    const name = each.toLowerCase()
    return [name, `${name}s`, `${name}es`, `${name.slice(0, -1)}ies`].includes(resource)
  })
  if (kind === undefined) throw new Error(`no kind of ${resource} in group ${JSON.stringify(group)}`)
  return kind
}

function isRemoved({ versions }: KnownGroup, versionName: string, kind: string, minor: number): boolean {
  const removed = versions.find((each) => each.versionName === versionName)?.removed.get(kind)
  return removed !== undefined && removed <= minor
}

/** CRDs and APIServices are served by servers that have no list of versions: all are on. */
const alwaysOn = ['apiextensions', 'apiregistration']

function isEnabled(
  { directory }: KnownGroup,
  versionName: string,
  resource: string,
  { enabled }: ReleaseFiles,
): boolean {
  const version = `${directory}/${versionName}`
  // In extensions/v1beta1 only the resources that are named were on.
  const isNamed = enabled.resources.some((each) => each.version === version && each.resource === resource)
  const hasVersion = enabled.versions.includes(version) && directory !== 'extensions'
  return alwaysOn.includes(directory) || hasVersion || isNamed
}

/**
 * The version that is stored: an override; else the first by priority that has the kind, and, in releases that keep the
 * previous one able to read, that the previous one knows. The storage tests run without that last rule: there, the result
 * without it must be what they expect.
 */
function storedVersion(
  own: readonly StorageFixture[],
  group: KnownGroup,
  kind: string,
  release: ReleaseFiles,
): string {
  const [first] = own
  const override = release.overrides.find(
    (each) => each.directory === group.directory && each.resource === first?.resource,
  )
  const versions = group.versions.filter(({ kinds }) => kinds.includes(kind))
  const expected = expectedVersion(own)
  // Their servers name the stored version in their own code.
  if (alwaysOn.includes(group.directory) && expected !== undefined) return expected
  const preferred = override?.versionName ?? versions[0]?.versionName
  if (preferred === undefined || (expected !== undefined && expected !== preferred)) {
    throw new Error(
      `${release.tag} ${kind}: stored as ${preferred}, but its storage test expects ${expected}`,
    )
  }
  if (override || !release.keepsPreviousReadable) return preferred
  const isKnownBefore = ({ introduced }: KnownVersion): boolean =>
    (introduced.get(kind) ?? 0) <= release.minor - 1
  return versions.find(isKnownBefore)?.versionName ?? preferred
}

/** All storage tests of a resource must agree. */
function expectedVersion(own: readonly StorageFixture[]): string | undefined {
  const expected = new Set(own.map((each) => each.storedAs?.versionName ?? each.versionName))
  if (expected.size > 1) throw new Error(`storage tests disagree: ${JSON.stringify(own)}`)
  return [...expected][0]
}

/** Registered versions of the kind, also in groups that keep the same objects under the same keys. */
function decodableOf(
  own: readonly StorageFixture[],
  all: readonly StorageFixture[],
  group: KnownGroup,
  kind: string,
  groups: ReadonlyMap<string, KnownGroup>,
): string[] {
  const prefixes = new Set(own.map(({ path }) => prefixOf(path)))
  const [first] = own
  const sharing = all.filter((each) => each.resource === first?.resource && prefixes.has(prefixOf(each.path)))
  const also = ['extensions', ...sharing.map((each) => each.group)]
  const readable = [...new Set([group.group, ...also])].flatMap((name) => {
    const each = groups.get(name)
    return each?.kinds.includes(kind)
      ? each.versions
          .filter(({ kinds }) => kinds.includes(kind))
          .map(({ versionName }) => apiVersionOf(name, versionName))
      : []
  })
  return [...new Set(readable)]
}

const prefixOf = (path: string): string => path.slice(0, path.indexOf('/'))
