import {
  ApiError,
  type ApiObject,
  apiVersionOf,
  customResourceDefinitions,
  groupResourceText,
  type ResourceDefinition,
  type ReviewedResource,
  type StorageAgreement,
  type StorageState,
  type StorageVersion,
  storageAgreements,
  storageStates,
  storageVersions,
  type UpgradeReview,
  upgradeReviews,
} from '@strata/api'
import {
  type Client,
  type DiscoveredResource,
  type Discovery,
  isInvalid,
  MalformedAnswer,
} from '@strata/client'
import { type ClusterHints, decideFromHints } from './decide-from-hints.ts'
import { observeIdentities, toldByFleet } from './fleet-decodable.ts'
import type { ToldResource } from './told-decodable.ts'

export interface CheckQuestion {
  /** What the target is called. */
  readonly release: string
  /** What it can read, where somebody has said so. */
  readonly told: readonly ToldResource[]
  /** What it can read as its program says, if that is at hand: all of its kinds. */
  readonly ownKinds: readonly ToldResource[]
}

export interface CheckAnswer extends NonNullable<UpgradeReview['status']> {
  /** Who has seen what is stored: a server that reads it, or what a cluster says of itself. */
  readonly how: 'UpgradeReview' | 'hints'
  /** What could not be looked at. */
  readonly unseen: readonly string[]
}

export async function observeUpgrade(
  client: Client,
  question: CheckQuestion,
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const discovery = await client.discover(signal)
  const isStrata = discovery.resources.some(
    ({ group, resource }) => group === 'strata.dev' && resource === 'upgradereviews',
  )
  if (!isStrata) return lookAround(client, discovery, allTold(question), nowMs, signal)
  const spec = await specOf(client, question, signal)
  const review = async (asked: UpgradeReview['spec']): Promise<CheckAnswer> => {
    const { status } = await client
      .resource(upgradeReviews, 'v1alpha1')
      .create({ metadata: {}, spec: asked }, signal, { isLong: true })
    if (!status) throw new MalformedAnswer('the server answered an UpgradeReview without a status')
    return { how: 'UpgradeReview', unseen: [], ...status }
  }
  try {
    return await review(spec)
  } catch (error) {
    if (!isInvalid(error) || spec.release === undefined) throw error
    // The server does not know the release. In the middle of an upgrade, other servers of the fleet may run it.
    const resources = await recorded(client, question, signal)
    if (!resources.some(({ decodableVersions }) => decodableVersions !== undefined)) throw error
    return review({ resources })
  }
}

/**
 * Where it is told what the release reads, that is all that the server is told, and everything that was ever stored is named:
 * what is not named is not looked at, and nobody may take that for safe.
 */
async function specOf(
  client: Client,
  question: CheckQuestion,
  signal: AbortSignal,
): Promise<UpgradeReview['spec']> {
  const { release, told, ownKinds } = question
  if (told.length + ownKinds.length === 0) return { release }
  const resources = await recorded(client, question, signal)
  return resources.length === 0 ? { release } : { resources }
}

/** What somebody says goes before what the program does. */
function allTold({ told, ownKinds }: Pick<CheckQuestion, 'told' | 'ownKinds'>): readonly ToldResource[] {
  const names = new Set(told.map(groupResourceText))
  return [...told, ...ownKinds.filter((each) => !names.has(groupResourceText(each)))]
}

/**
 * Everything of which there is an agreement record, and so whatever a server of this cluster has ever stored. What nobody
 * has told of the target is told by those servers of it that are part of the fleet. Of the rest, the server that is asked
 * knows what it is read as (custom resources, by their definitions) or says that it does not.
 */
async function recorded(
  client: Client,
  question: CheckQuestion,
  signal: AbortSignal,
): Promise<readonly ReviewedResource[]> {
  const { items } = await client.resource<StorageAgreement>(storageAgreements, 'v1alpha1').list({}, signal)
  const byFleet = toldByFleet(question.release, await observeIdentities(client, signal), items)
  const byName = new Map([...byFleet, ...allTold(question)].map((each) => [groupResourceText(each), each]))
  const stored = items.map(({ spec: { group, resource } }) => ({ group, resource }))
  // Whoever names what is not there has mistyped it, or means another cluster; the server says so.
  const isRecorded = new Set(stored.map(groupResourceText))
  const strangers = question.told.filter((each) => !isRecorded.has(groupResourceText(each)))
  return [...stored.map((each) => byName.get(groupResourceText(each)) ?? each), ...strangers]
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
