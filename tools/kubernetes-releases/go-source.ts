/** What the generator takes from Go files: names and versions, found by their forms. None of these needs a Go compiler. */

export interface GroupVersion {
  readonly group: string
  readonly versionName: string
}

/** A storage test of the Kubernetes repository: an object that is created in one version, and where it is stored. */
export interface StorageFixture extends GroupVersion {
  readonly resource: string
  readonly path: string
  /** Where it is stored, if not in the version in which it is created. */
  readonly storedAs?: GroupVersion
  /** The minor release that no longer serves it. */
  readonly removed?: number
}

const versionNamePattern = /v\d+(?:(?:alpha|beta)\d+)?$/

/**
 * `SetVersionPriority(v1.SchemeGroupVersion, eventsv1beta1.SchemeGroupVersion)`: version names, the preferred one first. Versions
 * that are only added (`v1alpha1.AddToScheme(scheme)`) come last.
 */
export function readVersionPriority(install: string): string[] {
  const [, list = ''] = /SetVersionPriority\(([^)]*)\)/.exec(install) ?? []
  const aliases = [
    ...list.matchAll(/(\w+)\.SchemeGroupVersion/g),
    ...install.matchAll(/(\w+)\.AddToScheme\(scheme\)/g),
  ].map(([, alias = '']) => alias)
  const names = aliases.flatMap((alias) => versionNamePattern.exec(alias) ?? [])
  return [...new Set(names)]
}

/** `const GroupName = "events.k8s.io"` */
export function readGroupName(register: string): string | undefined {
  return /^\s*(?:const )?GroupName\s*=\s*"([^"]*)"/m.exec(register)?.[1]
}

/** Kinds in calls of `AddKnownTypes`: `&Deployment{}`, and `&apps.Deployment{}` for a type of another package. */
export function readKnownKinds(register: string): string[] {
  return [...register.matchAll(/&(?:\w+\.)?([A-Z]\w*)\{\}/g)].map(([, kind = '']) => kind)
}

/** The minor releases in which the kinds of a version are introduced and removed. */
export function readLifecycle(
  generated: string,
  which: 'Introduced' | 'Removed',
): ReadonlyMap<string, number> {
  const pattern = new RegExp(
    `func \\(in \\*(\\w+)\\) APILifecycle${which}\\(\\) \\(major, minor int\\) \\{\\s*return 1, (\\d+)`,
    'g',
  )
  return new Map([...generated.matchAll(pattern)].map(([, kind = '', minor]) => [kind, Number(minor)]))
}

/** Aliases of imports below `prefix`: `appsv1 "k8s.io/api/apps/v1"` gives `appsv1` → `apps/v1`. */
export function readImports(source: string, prefix: string): ReadonlyMap<string, string> {
  const imports = [...source.matchAll(/^\s*(?:(\w+) )?"([^"]+)"$/gm)].flatMap(([, alias, path = '']) => {
    if (!path.startsWith(prefix)) return []
    const rest = path.slice(prefix.length)
    return [[alias ?? rest.split('/').at(-1) ?? rest, rest] as const]
  })
  return new Map(imports)
}

/** What is served unless flags say otherwise: versions as a whole, and single resources of versions that are off. */
export interface Enabled {
  /** Directories of versions: `apps/v1`. */
  readonly versions: readonly string[]
  readonly resources: ReadonlyArray<{ readonly version: string; readonly resource: string }>
}

/** Reads DefaultAPIResourceConfigSource, in its forms since 1.19. */
export function readEnabled(source: string): Enabled {
  const imports = new Map([
    ...readImports(source, 'k8s.io/api/'),
    ...readImports(source, 'k8s.io/kubernetes/pkg/apis/'),
  ])
  const versionOf = (alias: string): string[] => {
    const path = imports.get(alias)
    return path === undefined ? [] : [path]
  }
  const lists = [
    ...source.matchAll(/EnableVersions\(\n([\s\S]*?)\n\t\)/g),
    ...source.matchAll(/\w*GroupVersionsEnabledByDefault = \[\]schema\.GroupVersion\{\n([\s\S]*?)\n\t\}/g),
  ].map(([, list = '']) => list)
  const versions = lists.flatMap((list) =>
    [...list.matchAll(/^\s*(\w+)\.SchemeGroupVersion,/gm)].flatMap(([, alias = '']) => versionOf(alias)),
  )
  const resourceLists = [
    ...source.matchAll(/EnableResources\(\n([\s\S]*?)\n\t\)/g),
    ...source.matchAll(
      /\w*EnabledByDefaultResources = \[\]schema\.GroupVersionResource\{\n([\s\S]*?)\n\t\}/g,
    ),
  ].map(([, list = '']) => list)
  const resources = resourceLists.flatMap((list) =>
    [...list.matchAll(/^\s*(\w+)\.SchemeGroupVersion\.WithResource\("([^"]+)"\)/gm)].flatMap(
      ([, alias = '', resource = '']) => versionOf(alias).map((version) => ({ version, resource })),
    ),
  )
  return { versions, resources }
}

/** `batch.Resource("cronjobs").WithVersion("v1beta1")`: versions that are stored although another one is preferred. */
export function readOverrides(
  source: string,
): ReadonlyArray<{ readonly directory: string; readonly resource: string; readonly versionName: string }> {
  const imports = readImports(source, 'k8s.io/kubernetes/pkg/apis/')
  const pattern = /^\s*(\w+)\.Resource\("([^"]+)"\)\.WithVersion\("([^"]+)"\)/gm
  return [...source.matchAll(pattern)].flatMap(([, alias = '', resource = '', versionName = '']) => {
    const directory = imports.get(alias)
    return directory === undefined ? [] : [{ directory, resource, versionName }]
  })
}

/** Each entry of the table of storage tests: `gvr("apps", "v1", "deployments"): {…}`. */
export function readFixtures(source: string): StorageFixture[] {
  const pattern = /gvr\("([^"]*)", "([^"]*)", "([^"]*)"\)(?:\]|:)( = StorageData)? ?\{/g
  const starts = [...source.matchAll(pattern)]
  return starts.flatMap((start, index) => {
    const [, group = '', versionName = '', resource = ''] = start
    const text = source.slice(start.index, starts[index + 1]?.index ?? source.length)
    const path = /ExpectedEtcdPath:\s*"\/registry\/([^"]*)/.exec(text)?.[1]
    if (path === undefined) return []
    const stored = /ExpectedGVK:\s*gvkP\("([^"]*)", "([^"]*)", "[^"]*"\)/.exec(text)
    const removed = /RemovedVersion:\s*"1\.(\d+)"/.exec(text)?.[1]
    return [
      {
        ...{ group, versionName, resource, path },
        ...(stored ? { storedAs: { group: stored[1] ?? '', versionName: stored[2] ?? '' } } : {}),
        ...(removed === undefined ? {} : { removed: Number(removed) }),
      },
    ]
  })
}

/** `"apps/v1/deployments": "8aSe+NMegvE="`: upstream's own list of storage version hashes, until 1.34. */
export function readHashes(source: string): ReadonlyMap<string, string> {
  return new Map(
    [...source.matchAll(/^\s*"([^"]+\/[^"]+)":\s*"([^"]{12})",/gm)].map(([, name = '', hash = '']) => [
      name,
      hash,
    ]),
  )
}
