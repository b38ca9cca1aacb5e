import {
  type AgreementEntry,
  groupResourceText,
  isFenced,
  nameSome,
  persistedVersionsOf,
  plainKey,
  type RecordingGap,
  type StorageAgreement,
  unseenServersOf,
  versionNameOf,
} from '@strata/api'
import { collectorAdvice } from './collector-advice.ts'
import { describeKeys, describeKeyWaits, findKeyDifferences, findUnreadKeys } from './key-status.ts'
import { describeSelection, expectedServersOf, type SelectionStatus } from './selection-status.ts'
import { namedServers, type ServerStatus, shortId, shownServer } from './server-status.ts'
import { findNotServed, findUndecodable } from './undecodable-status.ts'

export interface ResourceStatus {
  readonly resource: string
  readonly agreed: boolean
  readonly agreedVersion: string | undefined
  readonly agreedSince: string | undefined
  /** There has been no agreement since then, or longer. */
  readonly disagreedSince: string | undefined
  readonly epoch: number
  /** Every server guards its writes by the record: none commits after the record has changed. */
  readonly fenced: boolean
  /** Servers that may still write without a guard although their entry is gone; absent if there are none. */
  readonly looseUntilSettled?: readonly string[] | undefined
  /** By server; undefined for a live server without an entry. */
  readonly servers: Readonly<Record<string, ServerEntry | undefined>>
  /** Ids of live servers without an entry. */
  readonly missing: readonly string[]
  /** Only where servers vote. */
  readonly selection: SelectionStatus | undefined
  /** The versions of stored objects; `Unknown` means any version. */
  readonly persistedVersions: readonly string[]
  /** The keys of stored objects; absent if none is encrypted. */
  readonly persistedKeys?: readonly string[] | undefined
  /** Servers that wait to write under another key: until then a key rotation is not done. Absent if there are none. */
  readonly keyWaits?: readonly string[] | undefined
  /** Objects may have been written that no entry covers. */
  readonly recordingGap: RecordingGap | undefined
  /** Objects are written that a server cannot read. Worse than disagreement, which is normal during an upgrade. */
  readonly unreadable: readonly string[]
  /** Objects may be stored that a server cannot decode; absent if there are none. */
  readonly undecodable?: readonly string[] | undefined
  /** Servers that refuse to write: they cannot write the selected version, or lack a key. Also those of `notServed`. */
  readonly refusals: readonly string[]
  /** Servers that do not serve it at all because they cannot decode stored objects. Absent if there are none. */
  readonly notServed?: readonly string[] | undefined
  /** Why there is no agreement, and what to do. Empty if there is. */
  readonly problems: readonly string[]
}

interface ServerEntry {
  readonly encodes: string
  readonly decodes: readonly string[]
  readonly serves: readonly string[]
  readonly guarantee: AgreementEntry['guarantee']
  /** Only if the server votes. */
  readonly prefers?: string | undefined
  readonly refusesWrites?: true | undefined
  /** The server does not serve the resource. */
  readonly notServed?: true | undefined
  /** The key of its writes; absent if it does not encrypt. */
  readonly writesUnder?: string | undefined
}

export function describeResource(record: StorageAgreement, servers: readonly ServerStatus[]): ResourceStatus {
  const { spec, status } = record
  const entries = new Map(status.servers.map((entry) => [entry.serverID, entry]))
  const problems = findProblems(record, servers, entries)
  const agreed = problems.length === 0
  const resource = groupResourceText(spec)
  const unread = { resource, status, servers, entries }
  const notServed = findNotServed(unread)
  return {
    resource,
    agreed,
    agreedVersion: agreed ? status.agreedVersion : undefined,
    agreedSince: agreed ? status.agreedSince : undefined,
    disagreedSince: agreed ? undefined : disagreedSince(status),
    epoch: status.epoch,
    fenced: isFenced(status),
    looseUntilSettled: status.looseUntilSettled?.map(({ serverID }) => serverID),
    servers: Object.fromEntries(
      servers
        .filter(({ serverID, hasLease }) => hasLease || entries.has(serverID))
        .map((server) => [
          server.serverID,
          describeEntry(entries.get(server.serverID), server.refuses?.includes(resource)),
        ]),
    ),
    missing: servers
      .filter(({ serverID, hasLease }) => hasLease && !entries.has(serverID))
      .map(({ serverID }) => serverID),
    selection: describeSelection(status, servers),
    persistedVersions: persistedVersionsOf(status),
    persistedKeys: describeKeys(status),
    keyWaits: describeKeyWaits(status, servers),
    recordingGap: status.recordingGap,
    unreadable: [...findUnreadable(servers, entries), ...findUnreadKeys(servers, entries)],
    undecodable: findUndecodable(unread),
    refusals: [...notServed, ...findRefusals(servers, entries)],
    notServed: notServed.length === 0 ? undefined : notServed,
    problems,
  }
}

/** Only servers that serve the resource. */
export function writeRefusals({ refusals, notServed = [] }: ResourceStatus): string[] {
  return refusals.filter((text) => !notServed.includes(text))
}

type Entries = ReadonlyMap<string, AgreementEntry>

function describeEntry(entry: AgreementEntry | undefined, notServed = false): ServerEntry | undefined {
  return (
    entry && {
      encodes: entry.encodingVersion,
      decodes: entry.decodableVersions,
      serves: entry.servedVersions,
      guarantee: entry.guarantee,
      prefers: entry.preferredVersion,
      refusesWrites: entry.refusesWrites === true || undefined,
      notServed: notServed || undefined,
      writesUnder: entry.writeKey === plainKey ? undefined : entry.writeKey,
    }
  )
}

/** From the conditions that are False. Undefined if none is, because the record was evaluated before a newer Lease. */
function disagreedSince({ conditions }: StorageAgreement['status']): string | undefined {
  return conditions
    .filter(
      ({ type, status }) =>
        status === 'False' && (type === 'AllEncodingVersionsEqual' || type === 'AllServersReported'),
    )
    .map(({ lastTransitionTime }) => lastTransitionTime)
    .sort()[0]
}

function findUnreadable(servers: readonly ServerStatus[], entries: Entries): string[] {
  const writers = new Map<string, string[]>()
  for (const { name, serverID } of servers) {
    const entry = entries.get(serverID)
    if (!entry || entry.refusesWrites === true) continue
    writers.set(entry.encodingVersion, [...(writers.get(entry.encodingVersion) ?? []), name])
  }
  return [...writers].flatMap(([written, names]) => {
    const blind = servers
      .filter((each) => entries.get(each.serverID)?.decodableVersions.includes(written) === false)
      .map((each) => each.name)
    if (blind.length === 0) return []
    const who = blind.join(' and ')
    // Stopping either group is enough. The smaller group was upgraded too early, as a rule.
    const fewest = [blind, names]
      .toSorted((a, b) => a.length - b.length)
      .map((each) => each.join(' and '))
      .join(', or ')
    const write = `${names.join(' and ')} ${names.length === 1 ? 'writes' : 'write'}`
    return [
      `${write} ${versionNameOf(written)}, which ${who} cannot decode: objects written now cannot be read through ${who}; a release was skipped: immediately stop ${fewest}`,
    ]
  })
}

function findRefusals(servers: readonly ServerStatus[], entries: Entries): string[] {
  return servers.flatMap((server) => {
    const entry = entries.get(server.serverID)
    if (entry?.refusesWrites !== true) return []
    if (entry.keyProblem !== undefined) {
      return [`${shownServer(server)} refuses writes and is not ready: ${entry.keyProblem}`]
    }
    const selected = versionNameOf(entry.encodingVersion)
    // Version names do not tell which release is older, so neither step is called a rollback.
    const others =
      entry.preferredVersion === undefined
        ? ''
        : `, or move all other servers to a release that prefers ${versionNameOf(entry.preferredVersion)}`
    return [
      `${shownServer(server)} refuses writes and is not ready: ${selected} is selected, and it cannot write that; start a release there that can write ${selected}${others}`,
    ]
  })
}

/** A process that is still alive adds its name again (agreement.md, rule 18). */
const forgetUnseen = `kubectl get storageagreements -o json | jq '.items[].status.unseenProcesses = []' | kubectl replace -f -`

/** Servers without an identity Lease. Earlier releases make no statement, and do not guard such writes. */
function findUnseen(record: StorageAgreement): string[] {
  const guarded = unseenServersOf(record).map(({ process }) => process)
  const unguarded = (record.status.unseenProcesses ?? []).filter((each) => !guarded.includes(each))
  const who = (names: readonly string[]): string =>
    `${nameSome(names.map(shortId))} ${names.length === 1 ? 'has no identity Lease and writes' : 'have no identity Lease and write'} without recording: restart ${names.length === 1 ? 'it' : 'them'} with --feature-gates APIServerIdentity=true,StorageVersionAPI=true`
  return [
    ...(guarded.length === 0
      ? []
      : [`${who(guarded)}; if it was killed, its name is removed within minutes ${collectorAdvice}`]),
    ...(unguarded.length === 0
      ? []
      : [
          `${who(unguarded)}; its release does not guard such writes, so only its own shutdown or an operator removes its name: when its process has ended, and the store has nothing of it under way, ${forgetUnseen}`,
        ]),
  ]
}

function findProblems(
  record: StorageAgreement,
  servers: readonly ServerStatus[],
  entries: Entries,
): string[] {
  const { status } = record
  const problems: string[] = []
  const missing = servers.filter(({ serverID, hasLease }) => hasLease && !entries.has(serverID))
  const unrecorded = missing.filter(({ recordsWrites }) => !recordsWrites).map(shownServer)
  const late = missing.filter(({ recordsWrites }) => recordsWrites).map(shownServer)
  const gone = servers.filter(({ serverID, hasLease }) => !hasLease && entries.has(serverID)).map(shownServer)
  const writers = status.servers.filter(({ refusesWrites }) => refusesWrites !== true)
  const encodingVersions = new Set(writers.map(({ encodingVersion }) => encodingVersion))
  if (encodingVersions.size > 1) {
    const names = [...encodingVersions].map(versionNameOf).sort().join(', ')
    problems.push(`servers encode different versions (${names}): finish the upgrade or roll it back`)
  }
  problems.push(...findKeyDifferences(servers, entries))
  if (late.length > 0) {
    problems.push(
      `no entry from ${late.join(', ')}: is it starting, is it a release without agreement, or is this resource turned off there (feature gates, --runtime-config)?`,
    )
  }
  if (unrecorded.length > 0) {
    problems.push(
      `${unrecorded.join(', ')} writes without recording: restart it with --feature-gates StorageVersionAPI=true`,
    )
  }
  problems.push(...findUnseen(record))
  if (gone.length > 0) {
    problems.push(
      `an entry but no Lease from ${gone.join(', ')}: it is removed within minutes ${collectorAdvice}`,
    )
  }
  if (entries.size === 0) problems.push('no server has reported')
  if (entries.size > 0 && writers.length === 0) problems.push('no server writes it: all of them refuse')
  if (problems.length === 0 && status.agreedVersion === undefined) {
    problems.push(findRecordedProblem(status, servers))
  }
  return problems
}

/** Why the record names no agreed version although every live server has an entry. */
function findRecordedProblem(status: StorageAgreement['status'], servers: readonly ServerStatus[]): string {
  const { length } = status.servers
  const expected = expectedServersOf(status)
  if (length < expected) return `${length} of ${expected} expected servers have reported: start the others`
  const unrecorded = status.conditions.find(({ reason }) => reason === 'ServersDoNotRecord')
  // Otherwise a server that the record misses has left since.
  return unrecorded ? namedServers(unrecorded.message, servers) : 'the record is about to be evaluated again'
}
