import { apiVersionOf, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { type Codec, createCodec } from '../codec/index.ts'

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
}

/** Everything that this release serves. */
export interface ServedApi {
  /** Of what is stored: questions are answered, and have no place in the store. */
  readonly codecs: readonly Codec[]
  readonly resources: readonly ServedResource[]
  find(group: string, versionName: string, resource: string): ServedResource | undefined
  hasGroupVersion(group: string, versionName: string): boolean
}

export function createServedApi(
  definitions: readonly ResourceDefinition[],
  release: string | undefined,
): ServedApi {
  const codecs: Codec[] = []
  const resources: ServedResource[] = []
  for (const definition of definitions) {
    const atRelease = resourceAtRelease(definition, release)
    if (!atRelease) continue
    const codec = createCodec(definition, atRelease)
    if (!definition.isReview) codecs.push(codec)
    for (const versionName of atRelease.served) {
      const apiVersion = apiVersionOf(definition.group, versionName)
      resources.push({ definition, codec, group: definition.group, versionName, apiVersion })
    }
    resources.push(...servedInOtherGroups(codec))
  }
  const path = (group: string, versionName: string, resource: string): string =>
    `${group}/${versionName}/${resource}`
  const byPath = new Map(
    resources.map((each) => [path(each.group, each.versionName, each.definition.resource), each]),
  )
  const groupVersions = new Set(resources.map(({ apiVersion }) => apiVersion))
  return {
    codecs,
    resources,
    find: (group, versionName, resource) => byPath.get(path(group, versionName, resource)),
    hasGroupVersion: (group, versionName) => groupVersions.has(apiVersionOf(group, versionName)),
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
