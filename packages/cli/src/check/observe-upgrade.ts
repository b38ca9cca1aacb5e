import {
  apiVersionOf,
  groupResourceText,
  type ReviewedResource,
  type StorageAgreement,
  storageAgreements,
  type UpgradeReview,
  upgradeReviews,
} from '@strata/api'
import { minorOf } from '@strata/api/kubernetes-releases'
import { type Client, type Discovery, isInvalid, MalformedAnswer } from '@strata/client'
import { type DeclaredResource, declaredByFleet } from '@strata/insight'
import { type NotCovered, observeNotCovered } from '../migration/aggregated/not-covered.ts'
import { CliError } from '../output/errors.ts'
import { decideFromHints } from './decide-from-hints.ts'
import { checkExits } from './exits.ts'
import { observeIdentities } from './fleet-identities.ts'
import { observeClusterHints } from './observe-cluster-hints.ts'
import type { KubernetesPath } from './releases/kubernetes-path.ts'
import { type CountedVerdict, sayEmptiness } from './say-emptiness.ts'
import { sayUndecodable } from './say-undecodable.ts'

export interface CheckQuestion {
  /** The name of the target release. */
  readonly release: string
  /** The versions that the target can read, by the flags. */
  readonly declared: readonly DeclaredResource[]
  /** The same by the target's own program, for all of its kinds. */
  readonly ownKinds: readonly DeclaredResource[]
  /** For Kubernetes: the oldest release that wrote an object which is still as it was written. */
  readonly bornAt?: string | undefined
}

export interface CheckAnswer extends Omit<NonNullable<UpgradeReview['status']>, 'resources'> {
  readonly resources: readonly CountedVerdict[]
  /** How the stored versions were found: a server read the store; hints of the cluster; also the table of Kubernetes releases. */
  readonly how: 'UpgradeReview' | 'hints' | 'releases'
  /** Resources and documents that could not be read. */
  readonly unseen: readonly string[]
  /** Resources that aggregated servers store: nothing is said about them. Absent if there are none. */
  readonly notCovered?: readonly string[]
  /** The way from one release of Kubernetes to another. */
  readonly kubernetes?: KubernetesPath
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
    return { ...(await checkElsewhere(client, own, question, nowMs, signal)), ...without }
  }
  if (question.bornAt !== undefined) {
    throw new CliError(
      '--born-at is for other clusters: the servers of this one record what may be stored; leave it out',
      checkExits.usage,
    )
  }
  const spec = await specOf(client, question, signal)
  const review = async (asked: UpgradeReview['spec']): Promise<CheckAnswer> => {
    const { status } = await client
      .resource(upgradeReviews, 'v1alpha1')
      .create({ metadata: {}, spec: asked }, signal, { isLong: true })
    if (!status) throw new MalformedAnswer('the server answered an UpgradeReview without a status')
    const resources = await sayEmptiness(client, discovery.resources, status.resources, signal)
    return { how: 'UpgradeReview', unseen: [], ...without, ...status, resources }
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

/** Another cluster: a release of Kubernetes is known by name, any other one only by what is declared. */
async function checkElsewhere(
  client: Client,
  discovery: Discovery,
  question: CheckQuestion,
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const declared = allDeclared(question)
  const to = minorOf(question.release)
  if (to !== undefined) {
    const { checkKubernetes } = await import('./releases/check-kubernetes.ts')
    return checkKubernetes(client, discovery, { ...question, to, declared }, nowMs, signal)
  }
  const { describeUnknownRelease } = await import('./releases/check-unknown-release.ts')
  const kubernetes =
    declared.length === 0 ? await describeUnknownRelease(client, question.release, signal) : undefined
  // Without a declaration the verdict is "could not see" anyway.
  const named = new Set(declared.map(groupResourceText))
  const { hints, unseen } = await observeClusterHints(client, discovery, named, nowMs, signal)
  const decided = decideFromHints(hints, declared)
  const seen = await sayUndecodable(client, hints, decided.resources, signal)
  const resources = await sayEmptiness(client, discovery.resources, seen, signal)
  const verdict = seen.some((each) => each.verdict === 'Unsafe') ? 'Unsafe' : decided.verdict
  return { how: 'hints', unseen, ...decided, verdict, resources, ...(kubernetes ? { kubernetes } : {}) }
}
