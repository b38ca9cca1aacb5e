import {
  agreementName,
  type GroupResource,
  groupResourceText,
  type Lease,
  refusesMore,
  type StorageAgreement,
} from '@strata/api'
import { formatSeconds } from '../text/age.ts'
import {
  type AggregatedGroup,
  type AggregatedStatus,
  aggregatedRecords,
  describeAggregated,
} from './aggregated-status.ts'
import { collectorAdvice } from './collector-advice.ts'
import type { NumberServers } from './remember-numbers.ts'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import { describeServers, type ServerStatus, shownServer } from './server-status.ts'
import { describeTrigger, type TriggerFacts, type TriggerStatus } from './trigger-status.ts'

/** The document of `strata status -o json`. docs/status.md lists the fields; fields are only added. */
export interface FleetStatus {
  readonly observedAt: string
  /** All servers agree and can read what is written, and none refuses anything. Exit code 0. */
  readonly agreed: boolean
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
  /** Resources that no server serves any more. Their records stay: an epoch must not go back if the CRD comes again. */
  readonly withdrawn: readonly string[]
  /** Problems of no single record: too few servers; named resources without a record, or not served any more; refusals. */
  readonly problems: readonly string[]
  /** Set while no server answers. The other fields are then the last known ones. */
  readonly unseen: Unseen | undefined
  /** What the migration trigger does; absent if it was not observed. */
  readonly migrations?: TriggerStatus | undefined
  /** What to do about servers that do not prevent agreement yet. */
  readonly advice: readonly string[]
  /** Resources that aggregated servers store, by group; absent if there are none. */
  readonly aggregated?: readonly AggregatedStatus[] | undefined
}

export interface Unseen {
  readonly since: string
  readonly because: string
}

/** One observation of a fleet. */
export interface FleetFacts {
  readonly records: readonly StorageAgreement[]
  readonly leases: readonly Lease[]
  /** Names of served resources; undefined if discovery failed: unknown is not absent. */
  readonly served?: ReadonlySet<string> | undefined
  readonly unseen?: Unseen | undefined
  readonly trigger?: TriggerFacts | undefined
  readonly aggregated?: readonly AggregatedGroup[] | undefined
  /** False if only aggregated servers have agreement records, as behind kube-apiserver. */
  readonly hasRecords?: boolean | undefined
  /** For a program that describes the fleet again and again: `rememberResources()`. */
  readonly describe?: typeof describeResource | undefined
  /** So is this: `rememberNumbers()`. */
  readonly numberServers?: NumberServers | undefined
}

/** What to describe. */
export interface Question {
  /** Only these; empty means all. */
  readonly resources: readonly string[]
  /** Agreement needs at least this many live servers; 0 is any number. */
  readonly expectedServers: number
  /** With --until-agreed: silent servers do not count. */
  readonly isWaiting?: boolean
  /** For output without columns: texts name servers by their instance, because S1, S2, … move when a server joins or leaves. */
  readonly byInstance?: boolean
}

const anyResource: Question = { resources: [], expectedServers: 0 }

/**
 * Describes the fleet by its records and Leases. Agreement is evaluated again, not only read from the record: a Lease may be
 * newer than the record's last evaluation (agreement.md, rule 11).
 */
export function describeFleet(
  {
    records,
    leases: found,
    served,
    unseen,
    trigger,
    aggregated: groups = [],
    hasRecords = true,
    describe = describeResource,
    numberServers,
  }: FleetFacts,
  nowMs: number,
  { resources: asked, expectedServers, isWaiting = false, byInstance = false }: Question = anyResource,
): FleetStatus {
  const isWithdrawn = ({ spec, status }: StorageAgreement): boolean =>
    served !== undefined && status.servers.length === 0 && !served.has(groupResourceText(spec))
  // Leases of servers that have no records of their own are not about agreement.
  const leases = hasRecords ? found : []
  const withEntries = records.flatMap(({ status }) => status.servers.map(({ serverID }) => serverID))
  const servers = describeServers(leases, withEntries, nowMs, byInstance, numberServers)
  const isAsked = ({ spec }: StorageAgreement): boolean => isAbout(asked, spec)
  const resources = records
    .filter((record) => isAsked(record) && !isWithdrawn(record))
    .map((record) => describe(record, servers))
    .sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const aggregated = describeAggregated(
    groups,
    (each) => isAbout(asked, each),
    (group) => asked.length === 0 || asked.some((name) => isOfGroup(name, group)),
  )
  const problems = [
    ...(hasRecords ? findTooFew(servers, expectedServers, isWaiting) : []),
    ...findUnrecorded(asked, { records, aggregated: groups, hasRecords }),
    ...findWithdrawn(asked, records, isWithdrawn),
    ...findUnnamed(servers),
  ]
  return {
    observedAt: new Date(nowMs).toISOString(),
    agreed:
      unseen === undefined &&
      problems.length === 0 &&
      // Other servers do not keep this fleet from agreeing, unless they are asked about.
      ((hasRecords && asked.length === 0) || aggregated.every((each) => each.agreed)) &&
      resources.every((each) => each.agreed && each.unreadable.length + each.refusals.length === 0),
    servers,
    resources,
    withdrawn: records
      .filter((record) => isAsked(record) && isWithdrawn(record))
      .map(({ spec }) => groupResourceText(spec)),
    problems,
    unseen,
    migrations: trigger && describeTrigger(trigger, [...records, ...aggregatedRecords(groups)], nowMs),
    advice: [...servers.flatMap(adviseOnSilence), ...adviseOnFiles(servers)],
    ...(aggregated.length === 0 ? {} : { aggregated }),
  }
}

/**
 * Accepts `beacons.lighthouse.example.dev`, `beacons` (in any group), and `lighthouse.example.dev.beacons`, which is the
 * name of the record in kubectl.
 */
function isAbout(asked: readonly string[], spec: GroupResource): boolean {
  const resource = groupResourceText(spec)
  return (
    asked.length === 0 ||
    asked.some((name) => resource === name || resource.startsWith(`${name}.`) || name === agreementName(spec))
  )
}

/** Named resources without an agreement record. */
export function unknownResources(
  asked: readonly string[],
  { records, aggregated = [] }: Pick<FleetFacts, 'records' | 'aggregated'>,
): string[] {
  const isKnownIn = ({ group, unseen, resources }: AggregatedGroup, name: string): boolean =>
    unseen === undefined
      ? [...resources.keys()].some((resource) => isAbout([name], { group, resource }))
      : isOfGroup(name, group)
  return asked.filter(
    (name) =>
      !records.some(({ spec }) => isAbout([name], spec)) && !aggregated.some((each) => isKnownIn(each, name)),
  )
}

/** Where a resource may be that has no record in sight: in a group whose servers do not answer. Undefined if all are seen. */
export function mayBeUnseen(name: string, aggregated: FleetFacts['aggregated'] = []): string | undefined {
  // A full name names its group. Others cannot be found in a group whose discovery failed.
  if (name.includes('.')) return undefined
  const away = aggregated.filter(({ unseen }) => unseen !== undefined).map(({ group }) => group)
  if (away.length === 0) return undefined
  return `it may be a resource of ${away.join(' or ')}, whose servers do not answer; name it in full, as ${name}.${away[0]}`
}

/** Whether a full name is in a group whose resources are not known. */
function isOfGroup(name: string, group: string): boolean {
  return name.endsWith(`.${group}`) || name.startsWith(`${group}.`)
}

/** Without a record there is no agreement. */
function findUnrecorded(
  asked: readonly string[],
  facts: Pick<FleetFacts, 'records' | 'aggregated' | 'hasRecords'>,
): string[] {
  if (asked.length === 0 && facts.records.length === 0 && facts.hasRecords) {
    return ['there are no agreement records: no server has reported its storage versions yet']
  }
  return unknownResources(asked, facts).map((name) => {
    const why = mayBeUnseen(name, facts.aggregated) ?? 'no server serves it yet, or the name is wrong'
    return `there is no agreement record of ${name}: ${why}`
  })
}

/** A resource that is not served any more is a problem only if it is named: no server takes part in its agreement. */
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
 * A killed server keeps its Lease, by default for an hour. With --until-agreed it does not count: otherwise a script that
 * upgrades one server after the other would stop the second of three before the first is back.
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
  // Without its age, which grows: --watch prints a line whenever the text changes.
  const who = `${silent.map(shownServer).join(', ')} ${silent.length === 1 ? 'is' : 'are'} silent`
  const others = alive.length < expectedServers ? ', and the others' : ''
  return [`${count}: ${who}; start ${silent.length === 1 ? 'it' : 'them'} again${others}`]
}

/** The Lease does not name all refused resources, so no resource can be called served. */
function findUnnamed(servers: readonly ServerStatus[]): string[] {
  return servers
    .filter(({ refuses }) => refuses?.includes(refusesMore))
    .map(
      (server) =>
        `${shownServer(server)} cannot decode objects of more resources than its Lease can name: its /readyz/storage-decodable lists them`,
    )
}

function adviseOnSilence(server: ServerStatus): string[] {
  const { silentSeconds, leaseDurationSeconds } = server
  if (silentSeconds === undefined) return []
  const lease =
    leaseDurationSeconds === undefined ? '' : ` after its lease of ${formatSeconds(leaseDurationSeconds)}`
  return [
    `${shownServer(server)} has been silent for ${formatSeconds(silentSeconds)}: start it again, or its entries are removed${lease} ${collectorAdvice}`,
  ]
}

/** The previous file is in use, so this is no disagreement. */
function adviseOnFiles(servers: readonly ServerStatus[]): string[] {
  const rejecting = servers.filter((each) => each.refusesEncryptionFile).map(shownServer)
  if (rejecting.length === 0) return []
  const what =
    rejecting.length === 1
      ? 'rejected its changed encryption file and uses the previous one: its log and its'
      : 'rejected their changed encryption files and use the previous ones: their logs and their'
  return [`${rejecting.join(', ')} ${what} /readyz/encryption-provider-config say why`]
}
