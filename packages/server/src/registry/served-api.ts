import { apiVersionOf, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { type Codec, createCodec } from '../codec/index.ts'

/** A resource in one served version: what a path names. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly codec: Codec
  /** As in the path: `v1`. */
  readonly versionName: string
  /** As in objects: `apps/v1`. */
  readonly apiVersion: string
}

/** Everything that this release serves. */
export interface ServedApi {
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
    codecs.push(codec)
    for (const versionName of atRelease.served) {
      const apiVersion = apiVersionOf(definition.group, versionName)
      resources.push({ definition, codec, versionName, apiVersion })
    }
  }
  const path = (group: string, versionName: string, resource: string): string =>
    `${group}/${versionName}/${resource}`
  const byPath = new Map(
    resources.map((each) => [path(each.definition.group, each.versionName, each.definition.resource), each]),
  )
  const groupVersions = new Set(resources.map(({ apiVersion }) => apiVersion))
  return {
    codecs,
    resources,
    find: (group, versionName, resource) => byPath.get(path(group, versionName, resource)),
    hasGroupVersion: (group, versionName) => groupVersions.has(apiVersionOf(group, versionName)),
  }
}
