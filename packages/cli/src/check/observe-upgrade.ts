import {
  ApiError,
  type ApiObject,
  apiVersionOf,
  customResourceDefinitions,
  groupResourceText,
  type ResourceDefinition,
  type ReviewedResource,
  type StorageState,
  type StorageVersion,
  storageAgreements,
  storageStates,
  storageVersions,
  type UpgradeReview,
  upgradeReviews,
} from '@strata/api'
import type { Client, DiscoveredResource, Discovery } from '@strata/client'
import { type ClusterHints, decideFromHints } from './decide-from-hints.ts'
import type { ToldResource } from './told-decodable.ts'

export interface CheckQuestion {
  /** What the target is called. */
  readonly release: string
  /** What it can read, where somebody has said so. */
  readonly told: readonly ToldResource[]
  /** Whether that is all that it has: then everything that was ever stored is looked at. */
  readonly isWhole: boolean
}

export interface CheckAnswer extends NonNullable<UpgradeReview['status']> {
  /** Who has seen what is stored: a server that reads it, or what a cluster says of itself. */
  readonly how: 'UpgradeReview' | 'hints'
  /** What could not be looked at. */
  readonly unseen: readonly string[]
}

export async function observeUpgrade(
  client: Client,
  { release, told, isWhole }: CheckQuestion,
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const discovery = await client.discover(signal)
  const isStrata = discovery.resources.some(
    ({ group, resource }) => group === 'strata.dev' && resource === 'upgradereviews',
  )
  if (!isStrata) return lookAround(client, discovery, told, nowMs, signal)
  const resources = isWhole ? await recorded(client, told, signal) : told
  const spec = resources.length === 0 ? { release } : { resources }
  const review: UpgradeReview = { metadata: {}, spec }
  const { status } = await client.resource(upgradeReviews, 'v1alpha1').create(review, signal)
  if (!status) throw new Error('the server answered an UpgradeReview without a status')
  return { how: 'UpgradeReview', unseen: [], ...status }
}

/**
 * Everything of which there is an agreement record, and so whatever a server of this cluster has ever stored. Of what nobody has told
 * what the target reads, the server knows it (custom resources, by their definitions) or says that it does not.
 */
async function recorded(
  client: Client,
  told: readonly ToldResource[],
  signal: AbortSignal,
): Promise<readonly ReviewedResource[]> {
  const { items } = await client.resource(storageAgreements, 'v1alpha1').list({}, signal)
  const byName = new Map(told.map((each) => [groupResourceText(each), each]))
  return items.map(({ spec: { group, resource } }) => {
    return byName.get(groupResourceText({ group, resource })) ?? { group, resource }
  })
}

async function lookAround(
  client: Client,
  { resources: discovered, failures }: Discovery,
  told: readonly ToldResource[],
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const unseen = failures.map(({ groupVersion, why }) => `discovery of ${groupVersion}: ${why}`)
  const all = async <T extends ApiObject>(definition: ResourceDefinition<T>, versionName: string) => {
    const { group, resource } = definition
    if (!discovered.some((each) => each.group === group && each.resource === resource)) return []
    try {
      return (await client.resource<T>(definition, versionName).list({}, signal)).items
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      unseen.push(`${resource}.${group}: ${error.message}`)
      return []
    }
  }
  const hashes = new Map<string, string>()
  // Of whatever a verdict other than "could not see" can come out for: nobody has told what the target reads of the rest.
  const named = new Set(told.map(groupResourceText))
  for (const apiVersion of groupVersionsOf(discovered.filter((each) => named.has(groupResourceText(each))))) {
    try {
      for (const { name, storageVersionHash } of await client.apiResources(apiVersion, signal)) {
        const resource = groupResourceText({ group: apiVersion.group, resource: name })
        if (storageVersionHash && named.has(resource)) hashes.set(resource, storageVersionHash)
      }
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      unseen.push(`discovery of ${apiVersionOf(apiVersion.group, apiVersion.versionName)}: ${error.message}`)
    }
  }
  const hints: ClusterHints = {
    ...{ discovered, hashes, nowMs },
    definitions: await all(customResourceDefinitions, 'v1'),
    states: await all<StorageState>(storageStates, 'v1alpha1'),
    storageVersions: await all<StorageVersion>(storageVersions, 'v1alpha1'),
  }
  return { how: 'hints', unseen, ...decideFromHints(hints, told) }
}

function groupVersionsOf(resources: readonly DiscoveredResource[]) {
  const all = resources.map(({ group, versionName }) => ({ group, versionName }))
  return new Map(all.map((each) => [apiVersionOf(each.group, each.versionName), each])).values()
}
