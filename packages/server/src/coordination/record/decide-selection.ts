import { type AgreementEncoder, type AgreementEntry, commonEncodingVersion } from '@strata/api'

export interface SelectionFacts {
  /** The version selected before; undefined if there was no voter yet. */
  readonly previousVersion: string | undefined
  /** Processes that had an entry before the change that is being decided. */
  readonly previousProcesses: ReadonlySet<string>
  readonly entries: readonly AgreementEntry[]
  readonly liveServers: ReadonlySet<string>
  readonly expectedServers: number
}

export interface Candidate {
  readonly serverID: string
  readonly preferredVersion: string
}

export interface Selection {
  readonly selectedVersion: string
  readonly isUnanimous: boolean
  readonly reason: 'Unanimous' | 'CandidatesDiffer' | 'VoteFrozen'
  readonly message: string
}

/** Only voters state a preference; a reporter writes what it prefers (rule 13). */
function isVoter({ preferredVersion }: AgreementEntry): boolean {
  return preferredVersion !== undefined
}

/** Every live server with an entry is a candidate, also one that reports and one that cannot write the selected version. */
function candidatesOf(entries: readonly AgreementEntry[], liveServers: ReadonlySet<string>): Candidate[] {
  return entries
    .filter(({ serverID }) => liveServers.has(serverID))
    .map(({ serverID, preferredVersion, encodingVersion }) => ({
      serverID,
      preferredVersion: preferredVersion ?? encodingVersion,
    }))
}

/**
 * The version that the voters write (rule 12; the vote KEP, "Voting for Storage Version"). It changes only when all
 * candidates prefer the same other version, every live server has a candidate, and there are as many as expected. Otherwise
 * it stays, also while there is no server: a full stop in the middle of an upgrade does not restart the vote. Undefined if no
 * server has ever voted.
 *
 * Decided on every change of a record, not only when a server starts. Otherwise: two servers of three are upgraded, the
 * third, the last to prefer the old version, is removed for good; no server starts any more, and the old version stays
 * selected for ever.
 *
 * The messages stay as they are. Otherwise: servers of two releases find each other's text in the record, each writes its
 * own at every heartbeat, and each of these writes breaks the guards of the objects that are being written.
 */
export function decideSelection(facts: SelectionFacts): Selection | undefined {
  const candidates = candidatesOf(facts.entries, facts.liveServers)
  const before = facts.previousVersion ?? firstSelection(facts)
  if (before === undefined) return undefined
  const missing = describeMissing(facts, candidates)
  if (missing !== undefined) {
    const message = `${before} stays selected until everyone is there: ${missing}`
    return { selectedVersion: before, isUnanimous: false, reason: 'VoteFrozen', message }
  }
  const unanimous = preferenceOf(candidates)
  if (unanimous === undefined) {
    const votes = candidates.map(({ serverID, preferredVersion }) => `${serverID} for ${preferredVersion}`)
    const message = `${before} stays selected until all are for the same version: ${votes.join(', ')}`
    return { selectedVersion: before, isUnanimous: false, reason: 'CandidatesDiffer', message }
  }
  return {
    selectedVersion: unanimous,
    isUnanimous: true,
    reason: 'Unanimous',
    message: `all are for ${unanimous}`,
  }
}

/**
 * The selection with the first voter. If the reporters write one version, that one is selected, so that the fleet does not
 * disagree. If they write none or several, the preference of the joining voter is selected (the vote KEP, scenario 1).
 */
function firstSelection({
  entries,
  liveServers,
  previousProcesses,
}: Pick<SelectionFacts, 'entries' | 'liveServers' | 'previousProcesses'>): string | undefined {
  const voters = entries.filter(isVoter)
  const joining = voters.find(({ process }) => !previousProcesses.has(process)) ?? voters[0]
  if (!joining) return undefined
  const reporters = entries.filter((each) => !isVoter(each) && liveServers.has(each.serverID))
  return commonEncodingVersion(reporters) ?? joining.preferredVersion
}

function preferenceOf(candidates: readonly Candidate[]): string | undefined {
  const [first, ...others] = candidates
  return others.every(({ preferredVersion }) => preferredVersion === first?.preferredVersion)
    ? first?.preferredVersion
    : undefined
}

/** Rule 11: the preference of a live server without an entry is unknown, and so is that of an expected one without a Lease. */
function describeMissing(
  { liveServers, expectedServers }: SelectionFacts,
  candidates: readonly Candidate[],
): string | undefined {
  const known = new Set(candidates.map(({ serverID }) => serverID))
  const silent = [...liveServers].filter((id) => !known.has(id)).sort()
  if (silent.length > 0) return `no candidate from ${silent.join(', ')}`
  if (candidates.length === 0) return 'no server has a candidate'
  if (candidates.length >= expectedServers) return undefined
  return `${candidates.length} of ${expectedServers} expected servers have a candidate`
}

/**
 * The entries under a selection. All voters write the selected version: the server that changes the selection updates the
 * entries of all voters in the same transaction. Otherwise the selection and an entry contradict each other for a while. A
 * voter that cannot write the version writes nothing (rule 12): it must not store another one after all have agreed.
 */
export function withSelection(
  entries: readonly AgreementEntry[],
  selectedVersion: string | undefined,
): AgreementEntry[] {
  return entries.map((entry) =>
    selectedVersion === undefined || !isVoter(entry) ? entry : underSelection(entry, selectedVersion),
  )
}

function underSelection(entry: AgreementEntry, selectedVersion: string): AgreementEntry {
  const { refusesWrites: _, ...rest } = entry
  const encoder = entry.encoders?.find(
    ({ encodingVersion }: AgreementEncoder) => encodingVersion === selectedVersion,
  )
  return {
    ...rest,
    encodingVersion: selectedVersion,
    encoderFingerprint: encoder?.fingerprint ?? '',
    ...(encoder && entry.keyProblem === undefined ? {} : { refusesWrites: true }),
  }
}
