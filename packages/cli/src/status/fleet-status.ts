import {
  agreementName,
  type GroupResource,
  groupResourceText,
  type Lease,
  type StorageAgreement,
} from '@strata/api'
import { formatSeconds } from '../output/age.ts'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import { describeServers, type ServerStatus } from './server-status.ts'

/** What `strata status -o json` prints: docs/status.md has its shape, and fields are only ever added. */
export interface FleetStatus {
  readonly observedAt: string
  /** Everything below is as it should be: agreed, readable by everyone, nobody refuses writes. The exit code says the same. */
  readonly agreed: boolean
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
  /** Resources whose definition is gone. Their records stay, for an epoch must never go back if one comes again. */
  readonly withdrawn: readonly string[]
  /** What concerns no record: fewer servers than `--expected-servers` says, and resources that have none. */
  readonly problems: readonly string[]
  /** Set while no server answers: the rest is what was seen last, and nobody knows whether it still holds. */
  readonly unseen: Unseen | undefined
  /** What to do about servers that stand in nobody's way yet. */
  readonly advice: readonly string[]
}

export interface Unseen {
  readonly since: string
  readonly because: string
}

/** What was seen of a fleet, at one moment. */
export interface FleetFacts {
  readonly records: readonly StorageAgreement[]
  readonly leases: readonly Lease[]
  /** Which resources are served, as texts; undefined if that could not be seen: unknown is not absent. */
  readonly served?: ReadonlySet<string> | undefined
  readonly unseen?: Unseen | undefined
}

/** What people want to know about. */
export interface Question {
  /** Nothing but these; empty is all. */
  readonly resources: readonly string[]
  /** Agreement needs at least so many live servers; 0 makes no claim. */
  readonly expectedServers: number
}

const anyResource: Question = { resources: [], expectedServers: 0 }

/**
 * What people are told, from the records and the Leases as they are now. Agreement is judged here again and
 * not only read: a Lease may be younger than the record's last evaluation (agreement.md, rule 11).
 */
export function describeFleet(
  { records, leases, served, unseen }: FleetFacts,
  nowMs: number,
  { resources: asked, expectedServers }: Question = anyResource,
): FleetStatus {
  const isWithdrawn = ({ spec, status }: StorageAgreement): boolean =>
    served !== undefined && status.servers.length === 0 && !served.has(groupResourceText(spec))
  const withEntries = records.flatMap(({ status }) => status.servers.map(({ serverID }) => serverID))
  const servers = describeServers(leases, withEntries, nowMs)
  const isAsked = ({ spec }: StorageAgreement): boolean => isAbout(asked, spec)
  const resources = records
    .filter((record) => isAsked(record) && !isWithdrawn(record))
    .map((record) => describeResource(record, servers))
    .sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const problems = [...findTooFew(servers, expectedServers), ...findUnrecorded(asked, records)]
  return {
    observedAt: new Date(nowMs).toISOString(),
    agreed:
      unseen === undefined &&
      problems.length === 0 &&
      resources.every((each) => each.agreed && each.unreadable.length + each.refusals.length === 0),
    servers,
    resources,
    withdrawn: records
      .filter((record) => isAsked(record) && isWithdrawn(record))
      .map(({ spec }) => groupResourceText(spec)),
    problems,
    unseen,
    advice: servers.flatMap(adviseOnSilence),
  }
}

/**
 * By `beacons.lighthouse.example.dev`, or by `beacons` alone: whoever asks for a name means all that have it. Or by
 * `lighthouse.example.dev.beacons`, the record's own name, which kubectl shows.
 */
function isAbout(asked: readonly string[], spec: GroupResource): boolean {
  const resource = groupResourceText(spec)
  return (
    asked.length === 0 ||
    asked.some((name) => resource === name || resource.startsWith(`${name}.`) || name === agreementName(spec))
  )
}

/** Of what was asked for, what nobody has a record of. */
export function unknownResources(
  asked: readonly string[],
  { records }: Pick<FleetFacts, 'records'>,
): string[] {
  return asked.filter((name) => !records.some(({ spec }) => isAbout([name], spec)))
}

/** On what nobody has recorded, nobody has agreed. */
function findUnrecorded(asked: readonly string[], records: FleetFacts['records']): string[] {
  return unknownResources(asked, { records }).map(
    (name) => `there is no agreement record of ${name}: nobody serves it (yet), or it is mistyped`,
  )
}

function findTooFew(servers: readonly ServerStatus[], expectedServers: number): string[] {
  const alive = servers.filter(({ hasLease }) => hasLease).length
  if (alive >= expectedServers) return []
  return [`${alive} of ${expectedServers} expected servers are there: start the others`]
}

function adviseOnSilence({ name, instance, silentSeconds, leaseDurationSeconds }: ServerStatus): string[] {
  if (silentSeconds === undefined) return []
  const lease =
    leaseDurationSeconds === undefined ? '' : ` after its lease of ${formatSeconds(leaseDurationSeconds)}`
  const who = instance === undefined ? name : `${name} (${instance})`
  return [
    `${who} has been silent for ${formatSeconds(silentSeconds)}: start it again, or let "strata controllers" expel it${lease}`,
  ]
}
