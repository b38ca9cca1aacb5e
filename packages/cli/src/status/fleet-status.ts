import { type GroupResource, groupResourceText, type Lease, type StorageAgreement } from '@strata/api'

export interface ServerStatus {
  readonly serverID: string
  readonly hostname: string
  readonly renewed: string | undefined
  readonly leaseDurationSeconds: number | undefined
}

export interface ResourceStatus {
  readonly resource: string
  readonly agreedVersion: string | undefined
  readonly agreedSince: string | undefined
  readonly epoch: number
  readonly proven: boolean
  /** By server: what it encodes and decodes; undefined for a live server without an entry. */
  readonly servers: Readonly<
    Record<string, { readonly encodes: string; readonly decodes: readonly string[] } | undefined>
  >
  /** What stands in the way of agreement, and what to do about it. Empty when there is agreement. */
  readonly problems: readonly string[]
}

export interface FleetStatus {
  readonly servers: readonly ServerStatus[]
  readonly resources: readonly ResourceStatus[]
  readonly agreed: boolean
}

/**
 * What people are told, from the records and the Leases as they are now. Agreement is judged here again and
 * not only read: a Lease may be younger than the record's last evaluation (agreement.md, rule 11).
 */
export function describeFleet(records: readonly StorageAgreement[], leases: readonly Lease[]): FleetStatus {
  const servers = leases.map(
    ({ metadata, spec }): ServerStatus => ({
      serverID: metadata.name ?? '',
      hostname: metadata.labels?.['kubernetes.io/hostname'] ?? '',
      renewed: spec?.renewTime,
      leaseDurationSeconds: spec?.leaseDurationSeconds,
    }),
  )
  const live = servers.map(({ serverID }) => serverID)
  const resources = records.map((record) => describeResource(record, live))
  return { servers, resources, agreed: resources.every(({ problems }) => problems.length === 0) }
}

function describeResource({ spec, status }: StorageAgreement, live: readonly string[]): ResourceStatus {
  const entries = new Map(status.servers.map((entry) => [entry.serverID, entry]))
  const problems: string[] = []
  const missing = live.filter((id) => !entries.has(id))
  const gone = [...entries.keys()].filter((id) => !live.includes(id))
  const versions = new Set(status.servers.map(({ encodingVersion }) => encodingVersion))
  if (versions.size > 1) {
    problems.push(
      `servers encode different versions (${[...versions].sort().join(', ')}): finish the upgrade or roll it back`,
    )
  }
  if (missing.length > 0) {
    problems.push(
      `no entry from ${missing.join(', ')}: is it starting, or an older release without agreement?`,
    )
  }
  if (gone.length > 0) {
    problems.push(
      `${gone.join(', ')} has an entry but no Lease: the collector removes it; is "strata controllers" running?`,
    )
  }
  if (entries.size === 0) problems.push('no server has reported')
  if (problems.length === 0 && status.agreedVersion === undefined) {
    const reason = status.conditions.find(({ type }) => type === 'AllServersReported')
    problems.push(reason?.status === 'False' ? reason.message : 'the record is about to be evaluated again')
  }
  const resource: GroupResource = { group: spec.group, resource: spec.resource }
  const ids = [...new Set([...live, ...entries.keys()])]
  return {
    resource: groupResourceText(resource),
    agreedVersion: problems.length === 0 ? status.agreedVersion : undefined,
    agreedSince: problems.length === 0 ? status.agreedSince : undefined,
    epoch: status.epoch,
    proven: status.conditions.some(({ type, status: holds }) => type === 'Fenced' && holds === 'True'),
    servers: Object.fromEntries(
      ids.map((id) => {
        const entry = entries.get(id)
        return [id, entry && { encodes: entry.encodingVersion, decodes: entry.decodableVersions }]
      }),
    ),
    problems,
  }
}
