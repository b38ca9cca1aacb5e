import {
  ApiError,
  type ApiObject,
  type ApiService,
  agreementName,
  apiServices,
  type StorageAgreement,
  type StorageVersion,
  storageVersions,
} from '@strata/api'
import {
  type Client,
  type DiscoveredResource,
  type Discovery,
  isForbidden,
  isNotFound,
  type ResourceAddress,
} from '@strata/client'
import {
  decideOrigin,
  findOrigin,
  findOrigins,
  groupOf,
  isMigratable,
  type Observed,
  passesOn,
  servesMirrors,
} from '@strata/controllers'
import type { AggregatedGroup, SeenRecord } from '@strata/insight'
import { type Clock, deadline } from '@strata/world'
import { mayAggregate } from './may-aggregate.ts'

/** As long as aggregated servers get, which must neither hide nor delay what is known of this fleet. */
const besideMs = 5_000

/** Whether aggregated servers have agreement records of their own. */
export function isAggregating(discovered: readonly DiscoveredResource[]): boolean {
  return findOrigins(discovered).length > 0
}

/** What a list has: its objects, or why they may not be read. */
type Listed<T> =
  | { readonly objects: readonly T[] }
  | { readonly objects: undefined; readonly kind: 'absent' | 'hidden' }

/**
 * Reads the records of aggregated servers where they are stored. Undefined if this cluster does not say which there are. Throws
 * only if the caller aborts.
 */
export async function observeAggregated(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly AggregatedGroup[] | undefined> {
  const limit = deadline(clock, besideMs, signal)
  try {
    return await observeGroups(client, limit.signal, await client.discover(limit.signal))
  } catch {
    signal.throwIfAborted()
    return undefined
  } finally {
    limit.dispose()
  }
}

async function observeGroups(
  client: Client,
  signal: AbortSignal,
  discovery: Discovery,
): Promise<readonly AggregatedGroup[]> {
  const { resources, failures } = discovery
  if (!mayAggregate(discovery)) return []
  const names = [
    ...findOrigins(resources).map(({ group }) => group),
    ...failures.map(({ groupVersion }) => groupOf(groupVersion)),
  ]
  if (names.length === 0) return []
  const [services, mirrors] = await Promise.all([
    optional<ApiService>(() => client.resource(apiServices, 'v1').list({}, signal)),
    listMirrors(client, discovery, signal).catch(textOf),
  ])
  const groups = [...new Set(names)].sort().map(async (group): Promise<AggregatedGroup> => {
    const passing = services
      .filter((each) => passesOn(each, group))
      .map(({ metadata }) => metadata.name ?? '')
    const base = { group, apiServices: passing.sort(), resources: new Map() }
    const failed = failures.find(({ groupVersion }) => groupOf(groupVersion) === group)
    if (failed) return { ...base, unseen: `discovery of ${failed.groupVersion} failed: ${failed.why}` }
    if (typeof mirrors === 'string') return { ...base, unseen: mirrors }
    try {
      return { ...base, resources: await observeGroup(client, group, resources, mirrors, signal) }
    } catch (error) {
      return { ...base, unseen: textOf(error) }
    }
  })
  return Promise.all(groups)
}

/** A kube-apiserver also answers 403 for a kind that it does not serve, to a client without the right. */
async function listMirrors(
  client: Client,
  { resources, failures }: Discovery,
  signal: AbortSignal,
): Promise<Listed<StorageVersion>> {
  const found = await listed<StorageVersion>(() =>
    client.resource(storageVersions, 'v1alpha1').list({}, signal),
  )
  const isServed =
    servesMirrors(resources) ||
    failures.some(({ groupVersion }) => groupOf(groupVersion) === storageVersions.group)
  return found.objects === undefined && !isServed ? { objects: undefined, kind: 'absent' } : found
}

async function observeGroup(
  client: Client,
  group: string,
  discovered: readonly DiscoveredResource[],
  mirrors: Listed<StorageVersion>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SeenRecord>> {
  const byVersion = new Map<string, Promise<Listed<StorageAgreement>>>()
  const recordsIn = (address: ResourceAddress): Promise<Listed<StorageAgreement>> => {
    const asked =
      byVersion.get(address.versionName) ??
      listed<StorageAgreement>(() => client.resource<StorageAgreement>(address).list({}, signal))
    byVersion.set(address.versionName, asked)
    return asked
  }
  const [first] = findOrigins(discovered.filter((each) => each.group === group))
  const recorded = first ? ((await recordsIn(first)).objects ?? []) : []
  const plurals = new Set([
    ...recorded.filter(({ spec }) => spec?.group === group).map(({ spec }) => spec.resource),
    ...discovered
      .filter((each) => each.group === group && isMigratable(each))
      .map(({ resource }) => resource),
  ])
  const seen = new Map<string, SeenRecord>()
  for (const resource of plurals) {
    const origin = findOrigin({ group, resource }, discovered)
    if (origin.kind === 'refused') seen.set(resource, origin)
    if (origin.kind !== 'origin') continue
    const name = agreementName({ group, resource })
    const records = new Map<string, Observed<StorageAgreement>>()
    for (const each of origin.records) records.set(each.versionName, named(await recordsIn(each), name))
    const read = { kind: 'read', records, mirror: named(mirrors, name) } as const
    seen.set(resource, decideOrigin({ group, resource }, read))
  }
  return seen
}

function named<T extends ApiObject>(list: Listed<T>, name: string): Observed<T> {
  if (list.objects === undefined) return { kind: list.kind }
  const object = list.objects.find(({ metadata }) => metadata.name === name)
  return object ? { kind: 'found', object } : { kind: 'absent' }
}

type Asks<T> = () => Promise<{ readonly items: readonly T[] }>

async function listed<T>(ask: Asks<T>): Promise<Listed<T>> {
  try {
    return { objects: (await ask()).items }
  } catch (error) {
    if (isNotFound(error)) return { objects: undefined, kind: 'absent' }
    if (isForbidden(error)) return { objects: undefined, kind: 'hidden' }
    throw error
  }
}

/** Only names that help people: without them everything else is still shown. */
async function optional<T>(ask: Asks<T>): Promise<readonly T[]> {
  try {
    return (await ask()).items
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
