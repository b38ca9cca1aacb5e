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
import { type NotCovered, observeNotCovered } from '../migration/aggregated/not-covered.ts'
import { type ClusterHints, decideFromHints } from './decide-from-hints.ts'
import type { DeclaredResource } from './declared-resources.ts'
import { declaredByFleet, observeIdentities } from './fleet-decodable.ts'

export interface CheckQuestion {
  /** The name of the target release. */
  readonly release: string
  /** The versions that the target can read, by the flags. */
  readonly declared: readonly DeclaredResource[]
  /** The same by the target's own program, for all of its kinds. */
  readonly ownKinds: readonly DeclaredResource[]
}

export interface CheckAnswer extends NonNullable<UpgradeReview['status']> {
  /** How the stored versions were found: a server read the store, or from hints of the cluster. */
  readonly how: 'UpgradeReview' | 'hints'
  /** Resources and documents that could not be read. */
  readonly unseen: readonly string[]
  /** Resources that aggregated servers store: nothing is said about them. Absent if there are none. */
  readonly notCovered?: readonly string[]
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
  const notCovered = await observeNotCovered(client, discovery, signal)
  const { names } = notCovered
  const without = names.length === 0 ? {} : { notCovered: names }
  if (!isStrata) {
    const own = ownOf(discovery, notCovered)
    return { ...(await checkByHints(client, own, allDeclared(question), nowMs, signal)), ...without }
  }
  const spec = await specOf(client, question, signal)
  const review = async (asked: UpgradeReview['spec']): Promise<CheckAnswer> => {
    const { status } = await client
      .resource(upgradeReviews, 'v1alpha1')
      .create({ metadata: {}, spec: asked }, signal, { isLong: true })
    if (!status) throw new MalformedAnswer('the server answered an UpgradeReview without a status')
    return { how: 'UpgradeReview', unseen: [], ...without, ...status }
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

/** What the servers of this cluster serve themselves. */
function ownOf({ resources, failures }: Discovery, { isElsewhere }: NotCovered): Discovery {
  return {
    resources: resources.filter((each) => !isElsewhere(apiVersionOf(each.group, each.versionName))),
    failures: failures.filter(({ groupVersion }) => !isElsewhere(groupVersion)),
  }
}

/**
 * The question for the server. If anything is declared, the server gets declarations only, and every recorded resource is
 * named: a resource that is not named would not be checked, and must not count as safe.
 */
async function specOf(
  client: Client,
  question: CheckQuestion,
  signal: AbortSignal,
): Promise<UpgradeReview['spec']> {
  const { release, declared, ownKinds } = question
  if (declared.length + ownKinds.length === 0) return { release }
  const resources = await recorded(client, question, signal)
  return resources.length === 0 ? { release } : { resources }
}

/** Declarations of the user override those of the program. */
function allDeclared({
  declared,
  ownKinds,
}: Pick<CheckQuestion, 'declared' | 'ownKinds'>): readonly DeclaredResource[] {
  const names = new Set(declared.map(groupResourceText))
  return [...declared, ...ownKinds.filter((each) => !names.has(groupResourceText(each)))]
}

/**
 * All resources with an agreement record, so everything that servers of this cluster have ever stored. Servers of the target
 * release in the fleet declare what the user did not. For the rest, the server knows what is read (custom resources, by their
 * CRD) or answers that it does not.
 */
async function recorded(
  client: Client,
  question: CheckQuestion,
  signal: AbortSignal,
): Promise<readonly ReviewedResource[]> {
  const { items } = await client.resource<StorageAgreement>(storageAgreements, 'v1alpha1').list({}, signal)
  const byFleet = declaredByFleet(question.release, await observeIdentities(client, signal), items)
  const byName = new Map(
    [...byFleet, ...allDeclared(question)].map((each) => [groupResourceText(each), each]),
  )
  const stored = items.map(({ spec: { group, resource } }) => ({ group, resource }))
  // A declared resource without a record is a typing error, or of another cluster; the server says so.
  const isRecorded = new Set(stored.map(groupResourceText))
  const unrecorded = question.declared.filter((each) => !isRecorded.has(groupResourceText(each)))
  return [...stored.map((each) => byName.get(groupResourceText(each)) ?? each), ...unrecorded]
}

async function checkByHints(
  client: Client,
  { resources: discovered, failures }: Discovery,
  declared: readonly DeclaredResource[],
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
  // Only for declared resources: without a declaration the verdict is "could not see" anyway.
  const named = new Set(declared.map(groupResourceText))
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
  return { how: 'hints', unseen, ...decideFromHints(hints, declared) }
}

function groupVersionsOf(resources: readonly DiscoveredResource[]) {
  const all = resources.map(({ group, versionName }) => ({ group, versionName }))
  return new Map(all.map((each) => [apiVersionOf(each.group, each.versionName), each])).values()
}
