import { type AgreementEntry, type AgreementStatus, versionNameOf } from '@strata/api'
import { type ServerStatus, shownServer } from './server-status.ts'

/** The state of a vote (agreement.md, rules 12 and 13). */
export interface SelectionStatus {
  readonly selectedVersion: string
  readonly selectedSince: string | undefined
  /** By server: the version that it prefers; for a server that does not vote, the version that it writes. */
  readonly candidates: Readonly<Record<string, string>>
  readonly unanimous: boolean
  /** Ids of servers that prefer another version than the selected one, or that have no candidate. */
  readonly undecided: readonly string[]
  /** Why the selection does not change, and what to do next. Empty when all prefer the selected version. */
  readonly notes: readonly string[]
}

/** Judged by the current entries and Leases: a Lease may be newer than the record's last evaluation. */
export function describeSelection(
  status: AgreementStatus,
  servers: readonly ServerStatus[],
): SelectionStatus | undefined {
  const { selectedVersion, selectedSince, servers: entries } = status
  if (selectedVersion === undefined) return undefined
  const candidates = new Map(entries.map((entry) => [entry.serverID, candidateOf(entry)]))
  const silent = servers.filter(({ serverID, hasLease }) => hasLease && !candidates.has(serverID))
  const others = servers.filter(
    ({ serverID }) => (candidates.get(serverID) ?? selectedVersion) !== selectedVersion,
  )
  const frozen = silent.length > 0 ? noCandidate(silent) : tooFew(status, servers)
  const refusing = entries
    .filter(({ refusesWrites }) => refusesWrites === true)
    .map(({ serverID }) => serverID)
  const notes = [
    ...(frozen === '' ? [] : [`the vote is frozen: ${frozen}`]),
    ...(others.length === 0 ? [] : [heldUp(selectedVersion, servers, candidates, refusing)]),
  ]
  return {
    selectedVersion,
    selectedSince,
    candidates: Object.fromEntries(candidates),
    unanimous: notes.length === 0,
    undecided: [...others, ...silent].map(({ serverID }) => serverID),
    notes,
  }
}

/** The largest number that a server was started with (agreement.md, rule 11). */
export function expectedServersOf({ servers }: Pick<AgreementStatus, 'servers'>): number {
  return Math.max(0, ...servers.map(({ expectedServers = 0 }) => expectedServers))
}

/** Without the selected version, so that the text is the same for all resources and is printed once. */
function tooFew(status: AgreementStatus, servers: readonly ServerStatus[]): string {
  const expected = expectedServersOf(status)
  const voters = servers.filter(
    ({ serverID, hasLease }) => hasLease && status.servers.some((each) => each.serverID === serverID),
  )
  if (status.servers.length === 0) return 'no server has a candidate'
  if (voters.length >= expected) return ''
  return `${voters.length} of ${expected} expected servers are there: start the others`
}

function candidateOf({ preferredVersion, encodingVersion }: AgreementEntry): string {
  return preferredVersion ?? encodingVersion
}

function noCandidate(silent: readonly ServerStatus[]): string {
  const names = silent.map(shownServer).join(', ')
  const advice = silent.every(({ recordsWrites }) => !recordsWrites)
    ? 'restart it with --feature-gates StorageVersionAPI=true, or stop it'
    : 'wait until it has started, or stop it'
  return `no candidate from ${names}; ${advice}`
}

/** `v1 stays selected while S1 (a) prefers v2 and S2 (b), S3 (c) prefer v1: …`. */
function heldUp(
  selectedVersion: string,
  servers: readonly ServerStatus[],
  candidates: ReadonlyMap<string, string>,
  refusing: readonly string[],
): string {
  const wantedVersions = [...new Set(candidates.values())].sort()
  const camps = wantedVersions.map((wanted) => {
    const camp = servers.filter(({ serverID }) => candidates.get(serverID) === wanted).map(shownServer)
    return `${camp.join(', ')} ${camp.length === 1 ? 'prefers' : 'prefer'} ${versionNameOf(wanted)}`
  })
  // All prefer the same version: the next server that evaluates the record moves the selection.
  const next =
    wantedVersions.length === 1
      ? 'the selection moves at the next evaluation'
      : `finish the upgrade or roll it back; until then ${meanwhile(selectedVersion, servers, candidates, refusing)}`
  return `${versionNameOf(selectedVersion)} stays selected while ${camps.join(' and ')}: ${next}`
}

/** `all servers write v1`, or `S1 (a) writes v1, and S2 (b) refuses writes`. */
function meanwhile(
  selectedVersion: string,
  servers: readonly ServerStatus[],
  candidates: ReadonlyMap<string, string>,
  refusing: readonly string[],
): string {
  const version = versionNameOf(selectedVersion)
  if (refusing.length === 0) return `all servers write ${version}`
  const [refuse = [], write = []] = [true, false].map((refuses) =>
    servers
      .filter(({ serverID }) => candidates.has(serverID) && refusing.includes(serverID) === refuses)
      .map(shownServer),
  )
  const refusals = `${refuse.join(', ')} ${refuse.length === 1 ? 'refuses' : 'refuse'} writes`
  if (write.length === 0) return refusals
  return `${write.join(', ')} ${write.length === 1 ? 'writes' : 'write'} ${version}, and ${refusals}`
}
