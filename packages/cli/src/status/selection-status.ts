import { type AgreementEntry, type AgreementStatus, versionNameOf } from '@strata/api'
import { type ServerStatus, shownServer } from './server-status.ts'

/** How a vote stands (agreement.md, rules 12 and 13). */
export interface SelectionStatus {
  readonly selectedVersion: string
  readonly selectedSince: string | undefined
  /** By server: what it would have selected. Of one that does not vote, what it encodes. */
  readonly candidates: Readonly<Record<string, string>>
  readonly unanimous: boolean
  /** Ids of servers whose candidate is another version than what is selected, and of those that have none. */
  readonly undecided: readonly string[]
  /** What keeps the selection where it is, and what to do next. Empty when all are for it. */
  readonly notes: readonly string[]
}

/** Judged by the entries and Leases as they are now, for a Lease may be younger than the record's last evaluation. */
export function describeSelection(
  { selectedVersion, selectedSince, servers: entries, conditions }: AgreementStatus,
  servers: readonly ServerStatus[],
): SelectionStatus | undefined {
  if (selectedVersion === undefined) return undefined
  const candidates = new Map(entries.map((entry) => [entry.serverID, candidateOf(entry)]))
  const silent = servers.filter(({ serverID, hasLease }) => hasLease && !candidates.has(serverID))
  const others = servers.filter(
    ({ serverID }) => (candidates.get(serverID) ?? selectedVersion) !== selectedVersion,
  )
  const condition = conditions.find(({ type }) => type === 'SelectionUnanimous')
  const frozen =
    silent.length > 0 ? noCandidate(silent) : condition?.reason === 'VoteFrozen' ? cause(condition) : ''
  const someRefuse = entries.some(({ refusesWrites }) => refusesWrites === true)
  const notes = [
    ...(frozen === '' ? [] : [`the vote is frozen: ${frozen}`]),
    ...(others.length === 0 ? [] : [heldUp(selectedVersion, servers, candidates, someRefuse)]),
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

/**
 * Of what the record says, why alone: what stays selected has a column, and its name in the text would keep what is the
 * same for all resources from being said once. Nobody lives without a candidate here, so that who has none is away.
 */
function cause({ message }: { readonly message: string }): string {
  return message
    .replace(/^.* stays selected until everyone is there: /, '')
    .replace(/ have a candidate$/, ' are there: start the others')
}

function candidateOf({ preferredVersion, encodingVersion }: AgreementEntry): string {
  return preferredVersion ?? encodingVersion
}

function noCandidate(silent: readonly ServerStatus[]): string {
  const names = silent.map(shownServer).join(', ')
  const advice = silent.every(({ recordsWrites }) => !recordsWrites)
    ? 'start it with StorageVersionAPI=true, or stop it'
    : 'wait until it has started, or stop it'
  return `no candidate from ${names}; ${advice}`
}

/** `S1 (a) prefers v2, S2 (b) and S3 (c) prefer v1`: who stands where. */
function heldUp(
  selectedVersion: string,
  servers: readonly ServerStatus[],
  candidates: ReadonlyMap<string, string>,
  someRefuse: boolean,
): string {
  const wantedVersions = [...new Set(candidates.values())].sort()
  const camps = wantedVersions.map((wanted) => {
    const camp = servers.filter(({ serverID }) => candidates.get(serverID) === wanted).map(shownServer)
    return `${camp.join(', ')} ${camp.length === 1 ? 'prefers' : 'prefer'} ${versionNameOf(wanted)}`
  })
  // Where all are of one mind already, whoever evaluates the record next moves the selection.
  const next =
    wantedVersions.length === 1
      ? 'the selection moves at the next evaluation'
      : `finish the upgrade or roll it back; meanwhile everyone ${someRefuse ? 'who can ' : ''}goes on writing the selected version`
  return `${versionNameOf(selectedVersion)} stays selected while ${camps.join(' and ')}: ${next}`
}
