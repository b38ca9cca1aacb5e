import { apiVersionOf, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { type Codec, createCodec } from '../../codec/index.ts'
import type { RegisteredVersion } from '../../discovery/index.ts'

/** A resource in one served version: what a path names. */
export interface ServedResource {
  /** Names what is stored; its group may be another than the path's (`alsoServedIn`). */
  readonly definition: ResourceDefinition
  readonly codec: Codec
  /** As in the path. */
  readonly group: string
  /** As in the path: `v1`. */
  readonly versionName: string
  /** As in objects: `apps/v1`. */
  readonly apiVersion: string
  /** Aborted when this is served no more, or otherwise than before: watches end, and their clients begin anew. */
  readonly replaced?: AbortSignal
  /** Its definition is being deleted: instances go, and none may come. */
  readonly isTerminating?: boolean
  /** What those who still speak this version are warned of. */
  readonly deprecation?: string
}

/** Everything that is served: what this release has, and what was defined while it runs. */
export interface ServedApi {
  /** Of what this release has and is stored: questions are answered, and have no place in the store. */
  readonly codecs: readonly Codec[]
  /** Another list whenever something else is served. */
  readonly resources: readonly ServedResource[]
  find(group: string, versionName: string, resource: string): ServedResource | undefined
  /** The same of what this release has, served or not: servers need some kinds themselves (`--runtime-config`). */
  own(group: string, versionName: string, resource: string): ServedResource | undefined
  hasGroupVersion(group: string, versionName: string): boolean
  /**
   * From now on these are the custom resources that are served, and no others. They are asked for when somebody wants to
   * know: when hundreds of definitions come at once, nobody does in between.
   */
  setCustom(resources: () => readonly ServedResource[]): void
  /** What APIServices tell that people have made. Nothing of what this release has is among it. */
  readonly registered: readonly RegisteredVersion[]
  setRegistered(versions: readonly RegisteredVersion[]): void
  /** Whether this release has something in the version, served or not. */
  isOwn(group: string, versionName: string): boolean
  /** From now on these are what is served of the program's kinds. */
  setBuiltIn(resources: readonly ServedResource[]): void
}

export function createServedApi(
  definitions: readonly ResourceDefinition[],
  release: string | undefined,
  isServed: (group: string, versionName: string, resource: string) => boolean = () => true,
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
      own.push({ definition, codec, group: definition.group, versionName, apiVersion })
    }
    own.push(...servedInOtherGroups(codec))
  }
  const ownByPath = snapshotOf(own).byPath
  let builtIn: readonly ServedResource[] = own.filter(({ group, versionName, definition: { resource } }) =>
    isServed(group, versionName, resource),
  )
  let snapshot: ReturnType<typeof snapshotOf> | undefined
  const ownVersions = new Set(own.map(({ apiVersion }) => apiVersion))
  let registered: readonly RegisteredVersion[] = []
  let customResources: () => readonly ServedResource[] = () => []
  const now = (): ReturnType<typeof snapshotOf> => {
    snapshot ??= snapshotOf([...builtIn, ...customResources()])
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
    },
    isOwn: (group, versionName) => ownVersions.has(apiVersionOf(group, versionName)),
    setBuiltIn: (resources) => {
      builtIn = resources
      snapshot = undefined
    },
  }
}

function pathOf(group: string, versionName: string, resource: string): string {
  return `${group}/${versionName}/${resource}`
}

function snapshotOf(resources: readonly ServedResource[]) {
  return {
    resources,
    byPath: new Map(
      resources.map((each) => [pathOf(each.group, each.versionName, each.definition.resource), each]),
    ),
    groupVersions: new Set(resources.map(({ apiVersion }) => apiVersion)),
  }
}

/**
 * The same storage, gate and errors, as upstream has it, where both groups stand before one registry: only the version
 * that is spoken differs, and what is different for those who speak it.
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
