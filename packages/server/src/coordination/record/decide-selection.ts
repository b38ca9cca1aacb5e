import { type AgreementEncoder, type AgreementEntry, commonEncodingVersion } from '@strata/api'

export interface SelectionFacts {
  /** What was selected before; undefined where there was no voter yet. */
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

/** That it has a preference makes a server a voter; what a reporter prefers it writes (rule 13). */
function isVoter({ preferredVersion }: AgreementEntry): boolean {
  return preferredVersion !== undefined
}

/** Whose voice counts: every live server that has an entry, also one that cannot write what is selected. */
function candidatesOf(entries: readonly AgreementEntry[], liveServers: ReadonlySet<string>): Candidate[] {
  return entries
    .filter(({ serverID }) => liveServers.has(serverID))
    .map(({ serverID, preferredVersion, encodingVersion }) => ({
      serverID,
      preferredVersion: preferredVersion ?? encodingVersion,
    }))
}

/**
 * Which version the voters write (rule 12; seed 000, "Voting for Storage Version"). It moves only when everyone who is
 * there wants the same other one, and everyone who should be there is. Otherwise it stays, also while nobody is there:
 * a full stop in the middle of an upgrade is no reason to vote anew. Undefined where nobody has ever voted.
 *
 * Asked on every change of a record, not only when a server starts. Otherwise: two servers of three have been upgraded,
 * the third is taken away for good, and with it goes the last voice for the old version; nobody starts any more, and
 * the old version stays selected for ever.
 */
export function decideSelection(facts: SelectionFacts): Selection | undefined {
  const candidates = candidatesOf(facts.entries, facts.liveServers)
  const before = facts.previousVersion ?? firstSelection(facts)
  if (before === undefined) return undefined
  const missing = whoIsMissing(facts, candidates)
  if (missing !== undefined) {
    const message = `${before} stays selected until every server has a candidate: ${missing}`
    return { selectedVersion: before, isUnanimous: false, reason: 'VoteFrozen', message }
  }
  const unanimous = preferenceOf(candidates)
  if (unanimous === undefined) {
    const votes = candidates.map(
      ({ serverID, preferredVersion }) => `${serverID} prefers ${preferredVersion}`,
    )
    const message = `${before} stays selected until all servers prefer the same version: ${votes.join(', ')}`
    return { selectedVersion: before, isUnanimous: false, reason: 'CandidatesDiffer', message }
  }
  return {
    selectedVersion: unanimous,
    isUnanimous: true,
    reason: 'Unanimous',
    message: `all servers prefer ${unanimous}`,
  }
}

/**
 * With the first voter. What is written already goes on being written, if that is one version: the servers that do not
 * vote yet go on with it, and the fleet need not disagree. If it is none, or several, the voter has its way, as the seed
 * has it (scenario 1).
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

/** Rule 11: a live server without a voice may be for anything; so may one that is expected and has no Lease. */
function whoIsMissing(
  { liveServers, expectedServers }: SelectionFacts,
  candidates: readonly Candidate[],
): string | undefined {
  const heard = new Set(candidates.map(({ serverID }) => serverID))
  const silent = [...liveServers].filter((id) => !heard.has(id)).sort()
  if (silent.length > 0) return `no candidate from ${silent.join(', ')}`
  if (candidates.length === 0) return 'no server has a candidate'
  if (candidates.length >= expectedServers) return undefined
  return `${candidates.length} of ${expectedServers} expected servers have a candidate`
}

/**
 * The entries under a selection. Voters write what is selected, and whoever moves the selection says so for all of them,
 * in the same transaction: otherwise, between the selection and the entry of a voter, one of the two would be a lie. One
 * that cannot write it writes nothing (rule 12): another version would be stored after all had agreed on this one.
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
