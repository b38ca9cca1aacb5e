import {
  agreementName,
  type GroupResource,
  groupResourceText,
  type Lease,
  refusesMore,
  type StorageAgreement,
} from '@strata/api'
import { formatSeconds } from '../output/age.ts'
import { collectorAdvice } from './collector-advice.ts'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import { describeServers, type ServerStatus, shownServer } from './server-status.ts'
import { describeTrigger, type TriggerFacts, type TriggerStatus } from './trigger-status.ts'

/** What `strata status -o json` prints: docs/status.md has its shape, and fields are only ever added. */
export interface FleetStatus {
  readonly observedAt: string
  /** Everything below is as it should be: agreed, readable by everyone, nobody refuses anything. The exit code says the same. */
  readonly agreed: boolean
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
  /** Resources whose definition is gone. Their records stay, for an epoch must never go back if one comes again. */
  readonly withdrawn: readonly string[]
  /**
   * What concerns no record: too few servers, or none; resources that have none, or that nobody serves any more; refusals
   * without a name.
   */
  readonly problems: readonly string[]
  /** Set while no server answers: the rest is what was seen last, and nobody knows whether it still holds. */
  readonly unseen: Unseen | undefined
  /** What whoever asks for migrations is at; absent where that was not looked at. */
  readonly migrations?: TriggerStatus | undefined
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
  readonly trigger?: TriggerFacts | undefined
}

/** What people want to know about. */
export interface Question {
  /** Nothing but these; empty is all. */
  readonly resources: readonly string[]
  /** Agreement needs at least so many live servers; 0 makes no claim. */
  readonly expectedServers: number
  /** Somebody waits for so many, and goes on then: one that has fallen silent is not there for them. */
  readonly isWaiting?: boolean
}

const anyResource: Question = { resources: [], expectedServers: 0 }

/**
 * What people are told, from the records and the Leases as they are now. Agreement is judged here again and
 * not only read: a Lease may be younger than the record's last evaluation (agreement.md, rule 11).
 */
export function describeFleet(
  { records, leases, served, unseen, trigger }: FleetFacts,
  nowMs: number,
  { resources: asked, expectedServers, isWaiting = false }: Question = anyResource,
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
  const problems = [
    ...findTooFew(servers, expectedServers, isWaiting),
    ...findUnrecorded(asked, records),
    ...findWithdrawn(asked, records, isWithdrawn),
    ...findUnnamed(servers),
  ]
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
    migrations: trigger && describeTrigger(trigger, records, nowMs),
    advice: servers.flatMap((each) => [...adviseOnSilence(each), ...adviseOnFile(each)]),
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
  if (asked.length === 0 && records.length === 0) {
    return ['there are no agreement records: no server has reported its storage versions yet']
  }
  return unknownResources(asked, { records }).map(
    (name) => `there is no agreement record of ${name}: no server serves it yet, or the name is wrong`,
  )
}

/**
 * Among all others a definition that is gone is no disagreement. Whoever names it waits for servers that write it, and
 * would be told of an agreement in which nobody takes part.
 */
function findWithdrawn(
  asked: readonly string[],
  records: FleetFacts['records'],
  isWithdrawn: (record: StorageAgreement) => boolean,
): string[] {
  return asked.flatMap((name) => {
    const meant = records.filter(({ spec }) => isAbout([name], spec))
    if (meant.length === 0 || !meant.every(isWithdrawn)) return []
    return [`no server serves ${name} any more: serve it again, or leave it out`]
  })
}

/**
 * One that was killed keeps its Lease for an hour. Who looks is told so beside everything else; but a script that goes on with
 * the next server when so many are there would take down the second of three.
 */
function findTooFew(servers: readonly ServerStatus[], expectedServers: number, isWaiting: boolean): string[] {
  const alive = servers.filter(({ hasLease }) => hasLease)
  if (alive.length === 0 && expectedServers === 0) {
    return ['no server has an identity Lease: is one starting?']
  }
  const silent = isWaiting ? alive.filter(({ silentSeconds }) => silentSeconds !== undefined) : []
  const heard = alive.length - silent.length
  if (heard >= expectedServers) return []
  const count = `${heard} of ${expectedServers} expected servers are there`
  if (silent.length === 0) return [`${count}: start the others`]
  // Without its age, which grows: a line is printed whenever the words change.
  const who = `${silent.map(shownServer).join(', ')} ${silent.length === 1 ? 'is' : 'are'} silent`
  const others = alive.length < expectedServers ? ', and the others' : ''
  return [`${count}: ${who}; start ${silent.length === 1 ? 'it' : 'them'} again${others}`]
}

/** Which they are is not known here, so that nothing can be called well. */
function findUnnamed(servers: readonly ServerStatus[]): string[] {
  return servers
    .filter(({ refuses }) => refuses?.includes(refusesMore))
    .map(
      (server) =>
        `${shownServer(server)} cannot decode objects of more resources than its Lease can name: its /readyz/storage-decodable lists them`,
    )
}

function adviseOnSilence({ name, instance, silentSeconds, leaseDurationSeconds }: ServerStatus): string[] {
  if (silentSeconds === undefined) return []
  const lease =
    leaseDurationSeconds === undefined ? '' : ` after its lease of ${formatSeconds(leaseDurationSeconds)}`
  const who = instance === undefined ? name : `${name} (${instance})`
  return [
    `${who} has been silent for ${formatSeconds(silentSeconds)}: start it again, or its entries are removed${lease} ${collectorAdvice}`,
  ]
}

/** The file before it is in force, and serves everybody: no disagreement. */
function adviseOnFile(server: ServerStatus): string[] {
  if (!server.refusesEncryptionFile) return []
  return [
    `${shownServer(server)} rejected its changed encryption file and uses the previous one: its log and its /readyz/encryption-provider-config say why`,
  ]
}
