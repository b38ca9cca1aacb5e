import {
  type ApiService,
  agreementName,
  apiServices,
  type CustomResourceDefinition,
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
import { type Client, isForbidden, isNotFoundOrForbidden } from '@strata/client'
import { decideTarget, missingReporters } from './decide-target.ts'
import { groupOf } from './group-of.ts'
import { observeOrigin } from './observe-origin.ts'
import { type Observed, observe } from './observed.ts'
import { findOrigin } from './origin.ts'
import { type NamedServer, observeServers } from './server-sight.ts'
import type { TargetDecision } from './target.ts'

export interface ObserveTargetOptions {
  readonly client: Client
  readonly resource: GroupResource
  /** Each server, if they are known: a load balancer shows only one of them at a time. */
  readonly servers?: readonly NamedServer[]
  /** The user named this resource: it is migrated even if its storage version is not published. */
  readonly isNamed?: boolean
}

const absent = { kind: 'absent' } as const
const nothingElse = { storageVersion: absent, identities: [], hashes: [] } as const

/** Reads everything that tells how a resource is stored, as any client can. Throws if something cannot be read now. */
export async function observeTarget(
  { client, resource, servers, isNamed = false }: ObserveTargetOptions,
  signal: AbortSignal,
): Promise<TargetDecision> {
  const name = agreementName(resource)
  const [agreement, definition] = await Promise.all([
    observe(client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'), name, signal),
    // Groups of CRDs have a dot; a group without one is built in.
    resource.group.includes('.')
      ? observe(client.resource(customResourceDefinitions, 'v1'), groupResourceText(resource), signal)
      : absent,
  ])
  const common = { resource, agreement, definition, isNamed }
  const isRecorded = agreement.kind === 'found'
  if (!isRecorded || isUnused(agreement.object)) {
    const origin = await observeOrigin(client, resource, signal)
    if (origin) return decideTarget({ ...common, ...nothingElse, origin })
  }
  if (isRecorded) {
    const passedOnBy = await observePassedOn(client, definition, signal)
    return decideTarget({ ...common, ...nothingElse, passedOnBy })
  }
  const storageVersion = await observe(
    client.resource<StorageVersion>(storageVersions, 'v1alpha1'),
    name,
    signal,
  )
  const identities = storageVersion.kind === 'found' ? await observeIdentities(client, signal) : []
  const isServedElsewhere =
    storageVersion.kind === 'found' &&
    identities.length > 0 &&
    missingReporters(identities, storageVersion.object.status).length === identities.length &&
    (await observeServices(client, signal)).some((each) => passesOn(each, resource.group))
  const isKnown = storageVersion.kind === 'found' || definition.kind === 'found'
  const hashes = isKnown
    ? []
    : await Promise.all((servers ?? [{ client }]).map((each) => observeHash(each.client, resource, signal)))
  // A StorageVersion is what the servers themselves have written: what discovery shows adds nothing to it.
  const isByCrd = definition.kind === 'found' && storageVersion.kind !== 'found'
  const sights = isByCrd && servers ? await observeServers(definition.object, servers, signal) : []
  return decideTarget({ ...common, storageVersion, identities, isServedElsewhere, hashes, servers: sights })
}

/** A record that no server has an entry in stays when its CRD is deleted. Aggregated servers may serve the resource since. */
export const isUnused = ({ status }: StorageAgreement): boolean => status.servers.length === 0

/**
 * The APIService that passes on requests for a version of a CRD. The servers of this cluster record the resource all the same,
 * and a migration through the API would rewrite the objects of the other server.
 */
async function observePassedOn(
  client: Client,
  definition: Observed<CustomResourceDefinition>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (definition.kind !== 'found') return undefined
  const { group, versions } = definition.object.spec
  const served = versions?.filter((each) => each.served).map(({ name }) => name)
  const services = await observeServices(client, signal)
  const passing = services.find((each) => passesOn(each, group) && served?.includes(each.spec?.version ?? ''))
  return passing?.metadata.name
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

/** Empty without the right to list APIServices: then a migration waits until all live servers have reported. */
async function observeServices(client: Client, signal: AbortSignal): Promise<readonly ApiService[]> {
  try {
    return (await client.resource(apiServices, 'v1').list({}, signal)).items
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return []
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
  // 1. The group is not served yet, so it has no origin. 2. Its APIService is created. 3. Its hash is in discovery now, and must
  // not count instead of its record.
  if (findOrigin({ group, resource }, resources).kind !== 'none') {
    throw serviceUnavailable(`aggregated servers of ${group} have come while it was read: read it again`)
  }
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
