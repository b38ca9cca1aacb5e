import { groupResourceText, type Lease, type StorageAgreement } from '@strata/api'
import { formatSeconds } from '../output/age.ts'
import { describeResource, type ResourceStatus } from './resource-status.ts'
import { describeServers, type ServerStatus } from './server-status.ts'

export interface FleetStatus {
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
  /** Resources whose definition is gone. Their records stay, for an epoch must never go back if one comes again. */
  readonly withdrawn: readonly string[]
  /** What to do about servers that stand in nobody's way yet. */
  readonly advice: readonly string[]
  readonly agreed: boolean
}

/**
 * What people are told, from the records and the Leases as they are now. Agreement is judged here again and
 * not only read: a Lease may be younger than the record's last evaluation (agreement.md, rule 11).
 */
export function describeFleet(
  records: readonly StorageAgreement[],
  leases: readonly Lease[],
  nowMs: number,
  /** Which resources are served, as texts; undefined if that could not be seen: unknown is not absent. */
  served?: ReadonlySet<string>,
): FleetStatus {
  const isWithdrawn = ({ spec, status }: StorageAgreement): boolean =>
    served !== undefined && status.servers.length === 0 && !served.has(groupResourceText(spec))
  const withEntries = records.flatMap(({ status }) => status.servers.map(({ serverID }) => serverID))
  const servers = describeServers(leases, withEntries, nowMs)
  const resources = records
    .filter((record) => !isWithdrawn(record))
    .map((record) => describeResource(record, servers))
  return {
    servers,
    resources,
    withdrawn: records.filter(isWithdrawn).map(({ spec }) => groupResourceText(spec)),
    advice: servers.flatMap(adviseOnSilence),
    agreed: resources.every(({ problems, unreadable }) => problems.length + unreadable.length === 0),
  }
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
