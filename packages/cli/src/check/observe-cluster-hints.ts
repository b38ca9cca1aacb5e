import {
  ApiError,
  type ApiObject,
  apiVersionOf,
  customResourceDefinitions,
  groupResourceText,
  type ResourceDefinition,
  type StorageState,
  type StorageVersion,
  storageStates,
  storageVersions,
} from '@strata/api'
import { type Client, type Discovery, isForbidden } from '@strata/client'
import { missingRightIn } from '../migration/evidence/observe-census.ts'
import type { ClusterHints } from './decide-from-hints.ts'

export interface SeenHints {
  readonly hints: ClusterHints
  /** Documents that could not be read, and why. */
  readonly unseen: readonly string[]
}

/** Reads what a cluster without agreement records shows of its store. Hashes only of the resources that are named. */
export async function observeClusterHints(
  client: Client,
  { resources: discovered, failures }: Discovery,
  hashed: ReadonlySet<string>,
  nowMs: number,
  signal: AbortSignal,
): Promise<SeenHints> {
  const unseen = failures.map(({ groupVersion, why }) => `discovery of ${groupVersion}: ${why}`)
  let definitionsUnseen: string | undefined
  const all = async <T extends ApiObject>(definition: ResourceDefinition<T>, versionName: string) => {
    const { group, resource } = definition
    const isServed = discovered.some(
      (each) => each.group === group && each.resource === resource && each.versionName === versionName,
    )
    if (!isServed) return []
    try {
      return (await client.resource<T>(definition, versionName).list({}, signal)).items
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      unseen.push(`${resource}.${group}: ${error.message}`)
      if (definition.kind === customResourceDefinitions.kind) definitionsUnseen = whyUnlisted(error)
      return []
    }
  }
  const hashes = new Map<string, string>()
  for (const apiVersion of groupVersionsOf(
    discovered.filter((each) => hashed.has(groupResourceText(each))),
  )) {
    try {
      for (const { name, storageVersionHash } of await client.apiResources(apiVersion, signal)) {
        const resource = groupResourceText({ group: apiVersion.group, resource: name })
        if (storageVersionHash && hashed.has(resource)) hashes.set(resource, storageVersionHash)
      }
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      unseen.push(`discovery of ${apiVersionOf(apiVersion.group, apiVersion.versionName)}: ${error.message}`)
    }
  }
  const definitions = await all(customResourceDefinitions, 'v1')
  const hints: ClusterHints = {
    ...{ discovered, hashes, nowMs, definitions, definitionsUnseen },
    states: await all<StorageState>(storageStates, 'v1alpha1'),
    storageVersions: await all<StorageVersion>(storageVersions, 'v1alpha1'),
  }
  return { hints, unseen }
}

function whyUnlisted(error: ApiError): string {
  const remedy = isForbidden(error) ? '; an administrator can grant what "strata rbac check" prints' : ''
  return `CRDs could not be listed (${missingRightIn(error)})${remedy}`
}

function groupVersionsOf(resources: Discovery['resources']) {
  const all = resources.map(({ group, versionName }) => ({ group, versionName }))
  return new Map(all.map((each) => [apiVersionOf(each.group, each.versionName), each])).values()
}
