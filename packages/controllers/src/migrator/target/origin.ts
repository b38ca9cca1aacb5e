import {
  type GroupResource,
  type ResourceDefinition,
  storageAgreements,
  storageCensuses,
  storageReencodes,
} from '@strata/api'
import type { DiscoveredResource, ResourceAddress } from '@strata/client'

/** Where the servers that store a resource answer questions about their store. */
export interface DataAddresses {
  readonly censuses: ResourceAddress
  readonly reencodes: ResourceAddress
}

/** Those of the servers of this cluster. */
export const ownDataSide: DataAddresses = {
  censuses: { group: storageCensuses.group, versionName: 'v1alpha1', resource: storageCensuses.resource },
  reencodes: { group: storageReencodes.group, versionName: 'v1alpha1', resource: storageReencodes.resource },
}

/** The store of a resource, as far as discovery shows it. */
export type OriginSight =
  /** The servers of this cluster store it, or aggregated servers that have no agreement records. */
  | { readonly kind: 'none' }
  /** Aggregated servers store it, and serve its record in its own group. */
  | {
      readonly kind: 'origin'
      /** One for each version that the resource is served in: two versions may be served from two stores. */
      readonly records: readonly ResourceAddress[]
      readonly data: DataAddresses | undefined
    }
  /** Which store has it cannot be told. */
  | { readonly kind: 'refused'; readonly because: string }

/** The version of records that this release reads. */
const recordVersion = 'v1alpha1'

/**
 * Finds the servers that store a resource. An aggregated Strata server lists `storageagreements` of strata.dev in each version
 * of its groups. So any client finds it, through Strata and through kube-apiserver.
 */
export function findOrigin(
  { group, resource }: GroupResource,
  discovered: readonly DiscoveredResource[],
): OriginSight {
  const served = discovered.filter((each) => each.group === group)
  const records = served.filter((each) => isOf(each, storageAgreements))
  if (group === storageAgreements.group || records.length === 0) return { kind: 'none' }
  const versions = served.filter((each) => each.resource === resource).map(({ versionName }) => versionName)
  const inOrigin = records.filter(({ versionName }) => versions.includes(versionName))
  const outside = versions.filter((each) => !inOrigin.some(({ versionName }) => versionName === each))
  if (versions.length > 0 && inOrigin.length === 0) return { kind: 'none' }
  if (outside.length > 0) {
    const own = inOrigin.map(({ versionName }) => versionName).join(', ')
    const because = `aggregated servers serve ${own} of ${group}, and other servers serve ${outside.join(', ')}: its objects may be in two stores`
    return { kind: 'refused', because }
  }
  const unknown = records.find(({ objects }) => objects?.versionName !== recordVersion)
  if (unknown) {
    const because = `the agreement records of ${group} are in ${storageAgreements.group}/${unknown.objects?.versionName}, which this release cannot read`
    return { kind: 'refused', because }
  }
  // A resource that is not served any more may still have a record.
  const read = versions.length > 0 ? inOrigin : records
  return { kind: 'origin', records: read.map(addressOf), data: dataOf(read, served) }
}

/** One address of agreement records for each group of aggregated servers that has them. */
export function findOrigins(discovered: readonly DiscoveredResource[]): readonly ResourceAddress[] {
  const found = new Map<string, ResourceAddress>()
  for (const each of discovered) {
    if (each.group === storageAgreements.group || !isOf(each, storageAgreements)) continue
    if (!found.has(each.group)) found.set(each.group, addressOf(each))
  }
  return [...found.values()]
}

/** Where to ask about the stored objects of a resource; undefined if no server offers that. */
export function findDataSide(
  resource: GroupResource,
  discovered: readonly DiscoveredResource[],
): DataAddresses | undefined {
  const origin = findOrigin(resource, discovered)
  if (origin.kind === 'origin') return origin.data
  const isServed = ({ group, resource: plural }: ResourceAddress): boolean =>
    discovered.some((each) => each.group === group && each.resource === plural)
  return Object.values(ownDataSide).every(isServed) ? ownDataSide : undefined
}

function dataOf(
  records: readonly DiscoveredResource[],
  served: readonly DiscoveredResource[],
): DataAddresses | undefined {
  const [first] = records
  const beside = (wanted: Pick<ResourceDefinition, 'resource' | 'kind'>): ResourceAddress | undefined => {
    const found = served.find((each) => each.versionName === first?.versionName && isOf(each, wanted))
    return found && addressOf(found)
  }
  const [censuses, reencodes] = [beside(storageCensuses), beside(storageReencodes)]
  return censuses && reencodes && { censuses, reencodes }
}

/** Whether it is one of our kinds in a group of another name. A user's own kind may have the same plural. */
function isOf(
  { resource, kind, objects }: DiscoveredResource,
  wanted: Pick<ResourceDefinition, 'resource' | 'kind'>,
): boolean {
  return resource === wanted.resource && kind === wanted.kind && objects?.group === storageAgreements.group
}

/** Without a kind: these objects belong to another group than their path. */
function addressOf({ group, versionName, resource }: DiscoveredResource): ResourceAddress {
  return { group, versionName, resource }
}
