import { type GroupResource, groupResourceText, type StorageAgreement } from '@strata/api'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import { describeServers, namedServers, type ServerStatus } from './server-status.ts'

/** The one record of a resource in the store of its aggregated servers, or why there is none. */
export type SeenRecord =
  | { readonly kind: 'record'; readonly record: StorageAgreement }
  | { readonly kind: 'refused'; readonly because: string }

/** What was seen of one group of aggregated servers. */
export interface AggregatedGroup {
  readonly group: string
  /** The APIServices that pass its requests on, as far as they may be read. */
  readonly apiServices: readonly string[]
  /** Why its servers could not be asked. */
  readonly unseen?: string | undefined
  /** By plural. */
  readonly resources: ReadonlyMap<string, SeenRecord>
}

/** One group of aggregated servers in the document of `strata status -o json`. */
export interface AggregatedStatus {
  readonly group: string
  readonly apiServices: readonly string[]
  /** Its servers answered, and agree on every resource of the group. */
  readonly agreed: boolean
  readonly unseen: string | undefined
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
}

/** Describes the groups with a resource that is asked for. */
export function describeAggregated(
  groups: readonly AggregatedGroup[],
  isAsked: (resource: GroupResource) => boolean,
  isAskedGroup: (group: string) => boolean,
): AggregatedStatus[] {
  return groups
    .map((each) => describeGroup(each, isAsked))
    .filter(({ group, unseen, resources }) =>
      unseen === undefined ? resources.length > 0 : isAskedGroup(group),
    )
}

/** The records that were read, one for each resource. */
export function aggregatedRecords(groups: readonly AggregatedGroup[]): readonly StorageAgreement[] {
  return groups.flatMap(({ resources }) =>
    [...resources.values()].flatMap((seen) => (seen.kind === 'record' ? [seen.record] : [])),
  )
}

function describeGroup(
  { group, apiServices, unseen, resources: found }: AggregatedGroup,
  isAsked: (resource: GroupResource) => boolean,
): AggregatedStatus {
  const base = { group, apiServices, unseen }
  if (unseen !== undefined) return { ...base, agreed: false, servers: [], resources: [] }
  const decided = [...found]
    .map(([resource, decision]) => ({ group, resource, decision }))
    .filter(isAsked)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const records = decided.flatMap(({ decision }) => (decision.kind === 'record' ? [decision.record] : []))
  const servers = serversOf(records)
  const resources = decided.map(({ decision, ...resource }) =>
    decision.kind === 'record'
      ? describeRecord(decision.record, servers)
      : refused(resource, decision.because),
  )
  const agreed = resources.every((each) => each.agreed && each.unreadable.length + each.refusals.length === 0)
  return { ...base, agreed, servers, resources }
}

/** The servers with an entry, by id: their Leases, which have more about them, are in their own store. */
function serversOf(records: readonly StorageAgreement[]): readonly ServerStatus[] {
  const withEntries = records.flatMap(({ status }) => status.servers.map(({ serverID }) => serverID))
  // The record counts: a server that is gone is removed from it where it is stored.
  return describeServers([], withEntries, 0, true).map((each) => ({ ...each, hasLease: true }))
}

/** By the record alone: whether all live servers have an entry is for its own servers to say. */
function describeRecord(record: StorageAgreement, servers: readonly ServerStatus[]): ResourceStatus {
  const entries = new Set(record.status.servers.map(({ serverID }) => serverID))
  const mine = servers.filter(({ serverID }) => entries.has(serverID))
  const described = describeResource(record, mine)
  const reported = record.status.conditions.find(({ type }) => type === 'AllServersReported')
  if (described.agreed || reported?.status === 'True' || !reported?.message) return described
  const versions = new Set(record.status.servers.map(({ encodingVersion }) => encodingVersion))
  return versions.size > 1 ? described : { ...described, problems: [namedServers(reported.message, mine)] }
}

function refused(resource: GroupResource, because: string): ResourceStatus {
  return {
    resource: groupResourceText(resource),
    ...{ agreed: false, agreedVersion: undefined, agreedSince: undefined, disagreedSince: undefined },
    ...{ epoch: 0, fenced: false, servers: {}, missing: [], selection: undefined },
    ...{ persistedVersions: [], recordingGap: undefined, unreadable: [], refusals: [] },
    problems: [because],
  }
}
