import {
  type AgreementEntry,
  type GroupResource,
  groupResourceText,
  type StorageAgreement,
  versionNameOf,
} from '@strata/api'
import type { ServerStatus } from './server-status.ts'

export interface ResourceStatus {
  readonly resource: string
  readonly agreedVersion: string | undefined
  readonly agreedSince: string | undefined
  readonly epoch: number
  /** Every server says that its writes are guarded by the record, so that none is committed after it has moved. */
  readonly fenced: boolean
  /** By server: what it encodes and decodes; undefined for a live server without an entry. */
  readonly servers: Readonly<
    Record<string, { readonly encodes: string; readonly decodes: readonly string[] } | undefined>
  >
  /** What is written now and cannot be read by everyone. Worse than disagreement, which can be lived with for a while. */
  readonly unreadable: readonly string[]
  /** What stands in the way of agreement, and what to do about it. Empty when there is agreement. */
  readonly problems: readonly string[]
}

export function describeResource(
  { spec, status }: StorageAgreement,
  servers: readonly ServerStatus[],
): ResourceStatus {
  const entries = new Map(status.servers.map((entry) => [entry.serverID, entry]))
  const problems = findProblems(status, servers, entries)
  const agreed = problems.length === 0
  const resource: GroupResource = { group: spec.group, resource: spec.resource }
  return {
    resource: groupResourceText(resource),
    agreedVersion: agreed ? status.agreedVersion : undefined,
    agreedSince: agreed ? status.agreedSince : undefined,
    epoch: status.epoch,
    fenced: status.conditions.some(({ type, status: holds }) => type === 'Fenced' && holds === 'True'),
    servers: Object.fromEntries(
      servers
        .filter(({ serverID, hasLease }) => hasLease || entries.has(serverID))
        .map(({ serverID }) => {
          const entry = entries.get(serverID)
          return [serverID, entry && { encodes: entry.encodingVersion, decodes: entry.decodableVersions }]
        }),
    ),
    unreadable: findUnreadable(servers, entries),
    problems,
  }
}

type Entries = ReadonlyMap<string, AgreementEntry>

function findUnreadable(servers: readonly ServerStatus[], entries: Entries): string[] {
  return servers.flatMap(({ name, serverID }) => {
    const writer = entries.get(serverID)
    if (!writer) return []
    const blind = servers
      .filter(
        (each) => entries.get(each.serverID)?.decodableVersions.includes(writer.encodingVersion) === false,
      )
      .map((each) => each.name)
    if (blind.length === 0) return []
    const who = blind.join(' and ')
    return [
      `${name} writes ${versionNameOf(writer.encodingVersion)}, which ${who} cannot decode: objects written now cannot be read through ${who}`,
    ]
  })
}

function findProblems(
  status: StorageAgreement['status'],
  servers: readonly ServerStatus[],
  entries: Entries,
): string[] {
  const problems: string[] = []
  const nameOf = ({ name, instance, serverID }: ServerStatus): string => `${name} (${instance ?? serverID})`
  const missing = servers.filter(({ serverID, hasLease }) => hasLease && !entries.has(serverID)).map(nameOf)
  const gone = servers.filter(({ serverID, hasLease }) => !hasLease && entries.has(serverID)).map(nameOf)
  const versions = new Set(status.servers.map(({ encodingVersion }) => encodingVersion))
  if (versions.size > 1) {
    const names = [...versions].map(versionNameOf).sort().join(', ')
    problems.push(`servers encode different versions (${names}): finish the upgrade or roll it back`)
  }
  if (missing.length > 0) {
    problems.push(
      `no entry from ${missing.join(', ')}: is it starting, or an older release without agreement?`,
    )
  }
  if (gone.length > 0) {
    problems.push(
      `an entry but no Lease from ${gone.join(', ')}: the collector removes it; is "strata controllers" running?`,
    )
  }
  if (entries.size === 0) problems.push('no server has reported')
  if (problems.length === 0 && status.agreedVersion === undefined) {
    const reason = status.conditions.find(({ type }) => type === 'AllServersReported')
    problems.push(reason?.status === 'False' ? reason.message : 'the record is about to be evaluated again')
  }
  return problems
}
