import {
  apiVersionOf,
  type Column,
  deprecationOf,
  printerColumns,
  type ResourceDefinition,
  resourceAtRelease,
} from '@strata/api'
import { type Codec, createCodec } from '../../codec/index.ts'
import type { RegisteredVersion } from '../../discovery/index.ts'
import { type StorageView, StorageViews } from './storage-views.ts'

/** A resource in one served version, as a path names it. */
export interface ServedResource {
  /** The stored resource; its group may differ from that of the path (`alsoServedIn`). */
  readonly definition: ResourceDefinition
  readonly codec: Codec
  /** As in the path. */
  readonly group: string
  /** As in the path: `v1`. */
  readonly versionName: string
  /** As in objects: `apps/v1`. That of the path, except for a view. */
  readonly apiVersion: string
  /** Set if the path shows a part of what is stored. */
  readonly view?: StorageView
  /** Aborted when the resource is no longer served, or changes: watches end and their clients start again. */
  readonly replaced?: AbortSignal
  /** The CRD is being deleted: instances are removed, and none may be created. */
  readonly isTerminating?: boolean
  /** The deprecation warning for clients of this version. */
  readonly deprecation?: string | undefined
  /** The columns of this version. Their cells are of its own form of the object, not of the hub. */
  readonly columns?: readonly Column[]
}

/** All served resources: built-in ones and custom ones. */
export interface ServedApi {
  /** The codecs of built-in stored resources. Review kinds are answered and never stored. */
  readonly codecs: readonly Codec[]
  /** A new list whenever the served resources change. */
  readonly resources: readonly ServedResource[]
  find(group: string, versionName: string, resource: string): ServedResource | undefined
  /** Finds a built-in resource whether it is served or not: servers need some kinds themselves (`--runtime-config`). */
  own(group: string, versionName: string, resource: string): ServedResource | undefined
  hasGroupVersion(group: string, versionName: string): boolean
  /** Replaces the custom resources. The list is computed on demand: hundreds of CRDs may arrive at once. */
  setCustom(resources: () => readonly ServedResource[]): void
  /** The versions of APIServices that clients have created; none of them is built in. */
  readonly registered: readonly RegisteredVersion[]
  setRegistered(versions: readonly RegisteredVersion[]): void
  /** The version below `/apis`, if an APIService assigns it to another server. */
  elsewhere(path: string): RegisteredVersion | undefined
  /** Whether this release has a resource in the version, served or not. */
  isOwn(group: string, versionName: string): boolean
  /** Replaces the built-in resources that are served. */
  setBuiltIn(resources: readonly ServedResource[]): void
}

export function createServedApi(
  definitions: readonly ResourceDefinition[],
  release: string | undefined,
  isServed: (group: string, versionName: string, resource: string) => boolean = () => true,
  /** The kinds whose groups have storage resources of their own: those of an aggregated server. */
  aggregated: readonly ResourceDefinition[] = [],
): ServedApi {
  const codecs: Codec[] = []
  const own: ServedResource[] = []
  for (const definition of definitions) {
    const atRelease = resourceAtRelease(definition, release)
    if (!atRelease) continue
    const codec = createCodec(definition, atRelease, (group, versionName) =>
      isServed(group, versionName, definition.resource),
    )
    if (!definition.isReview) codecs.push(codec)
    for (const versionName of atRelease.served) {
      const apiVersion = apiVersionOf(definition.group, versionName)
      own.push({
        ...{ definition, codec, group: definition.group, versionName, apiVersion },
        ...versionParts(definition, versionName, apiVersion),
      })
    }
    own.push(...servedInOtherGroups(codec))
  }
  const views = new StorageViews(own, aggregated)
  const ownByPath = snapshotOf(own).byPath
  let builtIn: readonly ServedResource[] = own.filter(({ group, versionName, definition: { resource } }) =>
    isServed(group, versionName, resource),
  )
  let snapshot: ReturnType<typeof snapshotOf> | undefined
  const ownVersions = new Set(own.map(({ apiVersion }) => apiVersion))
  let registered: readonly RegisteredVersion[] = []
  let remote: ReadonlyMap<string, RegisteredVersion> = new Map()
  let customResources: () => readonly ServedResource[] = () => []
  const now = (): ReturnType<typeof snapshotOf> => {
    snapshot ??= snapshotOf([...builtIn, ...views.beside(builtIn), ...customResources()])
    return snapshot
  }
  return {
    codecs,
    get resources() {
      return now().resources
    },
    own: (group, versionName, resource) => ownByPath.get(pathOf(group, versionName, resource)),
    find: (group, versionName, resource) => now().byPath.get(pathOf(group, versionName, resource)),
    hasGroupVersion: (group, versionName) => now().groupVersions.has(apiVersionOf(group, versionName)),
    setCustom: (custom) => {
      customResources = custom
      snapshot = undefined
    },
    get registered() {
      return registered
    },
    setRegistered: (versions) => {
      registered = versions
      const elsewhere = versions.filter(({ isRemote }) => isRemote)
      remote = new Map(elsewhere.map((each) => [apiVersionOf(each.group, each.versionName), each]))
    },
    elsewhere: (path) => {
      if (remote.size === 0 || !path.startsWith(apisPrefix)) return undefined
      const [group, versionName] = path.slice(apisPrefix.length).split('/', 2)
      return remote.get(`${group}/${versionName}`)
    },
    isOwn: (group, versionName) => ownVersions.has(apiVersionOf(group, versionName)),
    setBuiltIn: (resources) => {
      builtIn = resources
      snapshot = undefined
    },
  }
}

/** What a program says about one version of its kind. */
function versionParts(
  { versions, kind }: ResourceDefinition,
  versionName: string,
  apiVersion: string,
): Pick<ServedResource, 'columns' | 'deprecation'> {
  const version = versions[versionName]
  if (!version) return {}
  return {
    ...(version.additionalPrinterColumns ? { columns: printerColumns(version) } : {}),
    deprecation: deprecationOf(version, apiVersion, kind),
  }
}

const apisPrefix = '/apis/'

function pathOf(group: string, versionName: string, resource: string): string {
  return `${group}/${versionName}/${resource}`
}

function snapshotOf(resources: readonly ServedResource[]) {
  return {
    resources,
    byPath: new Map(
      resources.map((each) => [pathOf(each.group, each.versionName, each.definition.resource), each]),
    ),
    groupVersions: new Set(resources.map(({ group, versionName }) => apiVersionOf(group, versionName))),
  }
}

/**
 * The same storage, gate and errors for other groups, as upstream, where both groups share one registry. Only the served version,
 * and what differs for its clients, changes.
 */
function servedInOtherGroups(codec: Codec): ServedResource[] {
  const { definition } = codec
  return (definition.alsoServedIn ?? []).flatMap(({ group, versions, strategy, selectableFields = [] }) =>
    Object.keys(versions).map((versionName) => ({
      definition: {
        ...definition,
        versions,
        strategy: { ...definition.strategy, ...strategy },
        selectableFields,
      },
      codec,
      group,
      versionName,
      apiVersion: apiVersionOf(group, versionName),
    })),
  )
}
