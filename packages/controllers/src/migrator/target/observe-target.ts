import {
  type ApiObject,
  type ApiService,
  agreementName,
  apiServices,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  leases,
  type StorageAgreement,
  type StorageVersion,
  serviceUnavailable,
  storageAgreements,
  storageVersions,
} from '@strata/api'
import {
  type Client,
  isForbidden,
  isNotFound,
  isNotFoundOrForbidden,
  type ResourceClient,
} from '@strata/client'
import { decideTarget, missingReporters, type Observed } from './decide-target.ts'
import { groupOf } from './group-of.ts'
import type { TargetDecision } from './target.ts'

export interface ObserveTargetOptions {
  readonly client: Client
  readonly resource: GroupResource
  /** A client for each server, if they are known: a load balancer shows only one of them at a time. */
  readonly endpoints?: readonly Client[]
  /** The user named this resource: it is migrated even if its storage version is not published. */
  readonly isNamed?: boolean
}

const absent = { kind: 'absent' } as const

/** Reads everything that tells how a resource is stored, as any client can. Throws if something cannot be read now. */
export async function observeTarget(
  { client, resource, endpoints = [client], isNamed = false }: ObserveTargetOptions,
  signal: AbortSignal,
): Promise<TargetDecision> {
  const name = agreementName(resource)
  const [agreement, definition] = await Promise.all([
    see(client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'), name, signal),
    // Groups of CRDs have a dot; a group without one is built in.
    resource.group.includes('.')
      ? see(client.resource(customResourceDefinitions, 'v1'), groupResourceText(resource), signal)
      : absent,
  ])
  const isRecorded = agreement.kind === 'found'
  const storageVersion = isRecorded
    ? absent
    : await see(client.resource<StorageVersion>(storageVersions, 'v1alpha1'), name, signal)
  const identities = storageVersion.kind === 'found' ? await observeIdentities(client, signal) : []
  const isServedElsewhere =
    storageVersion.kind === 'found' &&
    identities.length > 0 &&
    missingReporters(identities, storageVersion.object.status).length === identities.length &&
    (await observeServedElsewhere(client, resource, signal))
  const isKnown = isRecorded || storageVersion.kind === 'found' || definition.kind === 'found'
  const hashes = isKnown
    ? []
    : await Promise.all(endpoints.map((each) => observeHash(each, resource, signal)))
  return decideTarget({
    ...{ resource, agreement, storageVersion, identities, isServedElsewhere, definition, hashes, isNamed },
  })
}

async function see<T extends ApiObject>(
  resource: ResourceClient<T>,
  name: string,
  signal: AbortSignal,
): Promise<Observed<T>> {
  try {
    return { kind: 'found', object: await resource.get({ name }, signal) }
  } catch (error) {
    // Also if the cluster does not serve the kind. If a proxy answers 404 by mistake, the target comes from a weaker source than
    // before, and so counts as changed.
    if (isNotFound(error)) return { kind: 'absent' }
    if (isForbidden(error)) return { kind: 'hidden' }
    throw error
  }
}

async function observeIdentities(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const labelSelector = `${identityLabel}=${identityLabelValue}`
  try {
    const options = { namespace: identityNamespace, labelSelector }
    const { items } = await client.resource(leases, 'v1').list(options, signal)
    return items.map(({ metadata }) => metadata.name ?? '')
  } catch (error) {
    // Without the right to list Leases, only the reported entries count. The result is "observed clean" at best.
    if (isForbidden(error)) return []
    throw error
  }
}

/** Without the right to list APIServices, the migration waits until all live servers have reported. */
async function observeServedElsewhere(
  client: Client,
  { group }: GroupResource,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { items } = await client.resource(apiServices, 'v1').list({}, signal)
    return items.some((each) => passesOn(each, group))
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return false
    throw error
  }
}

/** Whether an APIService passes a group on to another server. */
export function passesOn({ spec }: ApiService, group: string): boolean {
  return spec?.group === group && Boolean(spec.service)
}

async function observeHash(
  client: Client,
  { group, resource }: GroupResource,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { resources, failures } = await client.discover(signal)
  const served = resources.find((each) => each.group === group && each.resource === resource)
  if (!served) {
    // A group whose discovery failed may publish a hash: it does not count as unpublished.
    const failed = failures.find(({ groupVersion }) => groupOf(groupVersion) === group)
    if (failed) throw serviceUnavailable(`discovery of ${failed.groupVersion} failed: ${failed.why}`)
    return undefined
  }
  const listed = await client.apiResources(served, signal)
  return listed.find(({ name }) => name === resource)?.storageVersionHash || undefined
}
