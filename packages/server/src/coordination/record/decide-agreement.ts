import {
  type AgreementCondition,
  type AgreementConditionType,
  type AgreementEntry,
  type AgreementStatus,
  commonEncodingVersion,
  commonWriteKey,
  isFenced,
  keyWaitsOf,
  keyWaitText,
  type LooseMark,
  looseSettledMs,
  nameSome,
  persistedKeysOf,
  plainKey,
  type ServerStorageVersion,
  type StorageVersionStatus,
  summarizeServers,
  unknownKey,
} from '@strata/api'
import { integer, type Random } from '@strata/world'
import { decideLooseMarks, mayWriteLoosely } from './decide-loose-marks.ts'
import { decidePersisted, type PersistedProof } from './decide-persisted.ts'
import { closeGap, decideGap, type GapCause, withUnrecorded } from './decide-recording-gap.ts'
import { decideSelection, withSelection } from './decide-selection.ts'
import { decideServing } from './decide-served-versions.ts'

export interface AgreementFacts {
  readonly previous: AgreementStatus | undefined
  /** Where the previous status stands in the store. */
  readonly previousRevision?: number
  /** What the servers say, after the change that is being decided. */
  readonly entries: readonly AgreementEntry[]
  /** Ids of the servers that have an identity Lease. */
  readonly liveServers: ReadonlySet<string>
  /** Those of them that have registered all they have: without an entry here, they do not have it. */
  readonly registered?: ReadonlySet<string>
  /** Those of them that do not record what they write (rule 18). */
  readonly unrecorded?: ReadonlySet<string>
  /** Those without a Lease that do not either, after the change that is being decided; undefined for the same as before. */
  readonly unseen?: readonly string[]
  /** Why something may have been written that nobody recorded, whoever is there now. */
  readonly gap?: GapCause
  /** How far the epoch is raised by the gap of a restore, drawn by lot (`drawEpochStep`). */
  readonly restoredEpochStep?: number
  readonly now: string
  /** The process that takes its own entry back, after its last write. */
  readonly leavingProcess?: string
  /** Marks of loose processes that whoever decides has watched for long enough (rule 14). */
  readonly settledLoose?: ReadonlySet<string>
  /** What whoever decides has read: everything stored, in an epoch, and it was all in one version, under one key. */
  readonly proof?: PersistedProof
  /** Whoever decides has seen no server come or go for a while. */
  readonly isSettled?: boolean
  /** Nothing is stored, and nothing can be that was sent before (`decide-forgetting.ts`). */
  readonly isEmptied?: boolean
}

/** Whoever refuses writes has a voice, and encodes nothing: neither an epoch nor agreement is about it (rule 12). */
export function writersOf(entries: readonly AgreementEntry[]): readonly AgreementEntry[] {
  return entries.some(({ refusesWrites }) => refusesWrites)
    ? entries.filter(({ refusesWrites }) => !refusesWrites)
    : entries
}

/** The distinct ways in which the servers encode: what an epoch is about (rule 10). */
function distinctEncodings(entries: readonly AgreementEntry[]): string[] {
  return [...new Set(entries.map(encodingText))].sort()
}

/** One way of encoding, as a record names it. */
export function encodingText(entry: AgreementEntry): string {
  return [entry.encodingVersion, entry.writeKey, entry.encoderFingerprint, entry.guarantee].join(' ')
}

export function withEntry(entries: readonly AgreementEntry[], entry: AgreementEntry): AgreementEntry[] {
  return sorted([...entries.filter(({ serverID }) => serverID !== entry.serverID), entry])
}

export function withoutServers(
  entries: readonly AgreementEntry[],
  gone: (entry: AgreementEntry) => boolean,
): AgreementEntry[] {
  return sorted(entries.filter((entry) => !gone(entry)))
}

/** Rule 9: sorted, so that the same facts always give the same bytes. */
function sorted(entries: readonly AgreementEntry[]): AgreementEntry[] {
  return [...entries].sort((a, b) => (a.serverID < b.serverID ? -1 : a.serverID > b.serverID ? 1 : 0))
}

/**
 * The pure core: from what the servers say, and who is alive, to what is agreed and why. Reports commute.
 * Agreement is never claimed while a live server says otherwise, or says nothing (rule 11).
 */
export function decideAgreement(
  facts: AgreementFacts,
  /** Handed in so that the simulator can break it. */
  select: typeof decideSelection = decideSelection,
): AgreementStatus {
  const { previous, liveServers, now } = facts
  // Nobody can see whether they are still there: who has come stays until it has said that it goes.
  const unseen = [...(facts.unseen ?? previous?.unseenProcesses ?? [])].sort()
  const unrecorded = new Set([...(facts.unrecorded ?? []), ...unseen])
  // Servers without a Lease cannot be seen; the largest number that anyone was told closes that gap (rule 11). It
  // stands in the entries, so that it does not depend on who evaluates them.
  const expectedServers = Math.max(0, ...facts.entries.map((entry) => entry.expectedServers ?? 0))
  const known = new Set(previous?.servers.map(({ process }) => process))
  const selection = select({
    previousVersion: previous?.selectedVersion,
    previousProcesses: known,
    ...{ entries: facts.entries, liveServers, expectedServers },
  })
  const entries = withSelection(facts.entries, selection?.selectedVersion)
  const writers = writersOf(entries)
  const present = entries.filter(({ serverID }) => liveServers.has(serverID)).length
  const common = commonEncodingVersion(writers)
  const reported = new Set(entries.map(({ serverID }) => serverID))
  const missing = [...liveServers].filter((id) => !reported.has(id)).sort()
  // Of a definition a server that has registered all its own may just not have heard yet.
  const lacking = entries.some(({ isCustom }) => isCustom)
    ? []
    : missing.filter((id) => facts.registered?.has(id))
  const loose = entries.filter(({ guarantee }) => guarantee !== 'strict').map(({ serverID }) => serverID)
  const marks = decideLooseMarks({ ...facts, entries })
  const allReported =
    missing.length === 0 && unrecorded.size === 0 && entries.length > 0 && present >= expectedServers
  const agreed = allReported ? common : undefined
  // Of what is served. Whoever does not record never says it, and need not be waited for.
  const silent = missing.filter((id) => unrecorded.has(id) && !lacking.includes(id))
  const haveAllReported =
    entries.length > 0 &&
    lacking.length + silent.length === missing.length &&
    present + lacking.length + silent.length >= expectedServers

  const conditions = [
    common === undefined
      ? condition('AllEncodingVersionsEqual', false, 'CommonEncodingVersionUnset', disagreement(writers))
      : condition(
          'AllEncodingVersionsEqual',
          true,
          'CommonEncodingVersionSet',
          `all servers that record encode ${common}`,
        ),
    allReported
      ? condition('AllServersReported', true, 'AllServersReported', `${entries.length} servers have reported`)
      : condition(
          'AllServersReported',
          false,
          unrecorded.size > 0 ? 'ServersDoNotRecord' : 'ServersMissing',
          [...whoIsMissing(present, expectedServers, missing), ...whoWrites(unrecorded)].join('; '),
        ),
    fencing({ loose, unseen, unrecorded }, marks),
    ...(selection
      ? [condition('SelectionUnanimous', selection.isUnanimous, selection.reason, selection.message)]
      : []),
    ...(hasKeys(previous, writers) ? [keysEqual(writers, entries)] : []),
  ].map((each) => keepTransitionTime(each, previous, now))

  // Empty is no encoding at all: while nobody is there nobody writes (nor while all refuse to), so that a full stop and a
  // start with the same encoding is the same epoch.
  const isEmptied = facts.isEmptied === true && writers.length === 0 && unrecorded.size === 0
  const encodings = isEmptied ? [] : encodingsOf(writers, previous, unrecorded)
  const left = marks.length === 0 ? {} : { looseUntilSettled: marks }
  // What came late belongs to an epoch of which nobody says that it is fenced.
  const becomesFenced =
    previous !== undefined &&
    mayWriteLoosely(previous) &&
    !mayWriteLoosely({ encodings, servers: entries, ...left })
  const same =
    previous !== undefined &&
    facts.gap === undefined &&
    !becomesFenced &&
    sameStrings(previous.encodings, encodings)
  const epochRevision = previous?.epochRevision ?? facts.previousRevision
  const epoch = previous === undefined ? 1 : same ? previous.epoch : previous.epoch + epochStep(facts)
  const recordingGap = decideGap({ previous, unrecorded, gap: facts.gap, now }, epoch)
  const persisted = decidePersisted({
    ...{ previous, encodings, gap: facts.gap, proof: facts.proof, isEmptied },
    isUnrecorded: unrecorded.size > 0,
    hasLooseMarks: marks.length > 0,
    next: {
      ...{ epoch, agreedVersion: agreed, writeKey: commonWriteKey(writers) },
      isFenced: isFenced({ conditions }),
    },
  })
  return {
    epoch,
    encodings,
    // The record stood there in this epoch already, so everything since then is in its encodings.
    ...(same && epochRevision !== undefined ? { epochRevision } : {}),
    ...(agreed === undefined
      ? {}
      : {
          agreedVersion: agreed,
          agreedSince: previous?.agreedVersion === agreed ? (previous.agreedSince ?? now) : now,
        }),
    ...(selection
      ? {
          selectedVersion: selection.selectedVersion,
          selectedSince:
            previous?.selectedVersion === selection.selectedVersion ? (previous.selectedSince ?? now) : now,
        }
      : {}),
    persisted,
    ...closeGap({ previous, persisted, recordingGap }),
    ...(unseen.length > 0 ? { unseenProcesses: unseen } : {}),
    ...left,
    ...decideServing({
      ...{ previous, entries, lacking, isSettled: facts.isSettled === true },
      unrecorded: [...unrecorded].filter((id) => !reported.has(id)),
      isComplete: unrecorded.size === 0 && haveAllReported,
      haveAllReported,
    }),
    servers: entries,
    conditions,
  }
}

const leastEpochStep = 1_000
/** After two million restores the epoch is still a safe integer. */
const epochSteps = 2 ** 32

/**
 * After a restore the epochs that were lost with it must not come again (rule 19). Otherwise: a migration was begun in epoch
 * 6 of the timeline that is over; the restored record stands in 5, and is in 6 with its next change; the migration takes
 * that for its own epoch, and what it has read before for what is stored.
 *
 * It is drawn by lot, because the same backup may be restored twice. Otherwise: the record of the backup stands in epoch 5,
 * and after the first restore in 1005, which a census proves clean; after the second restore it stands in 1005 again, and
 * a client that remembers the proof believes it of objects that came back with the backup.
 */
export function drawEpochStep(random: Random): number {
  return leastEpochStep + integer(random, epochSteps)
}

function epochStep({ gap, restoredEpochStep = leastEpochStep }: AgreementFacts): number {
  return gap?.reason === 'StoreRestored' ? restoredEpochStep : 1
}

/** Something is encrypted, or was, as far as is known. */
function hasKeys(previous: AgreementStatus | undefined, writers: readonly AgreementEntry[]): boolean {
  const keys = [...persistedKeysOf(previous), ...writers.map(({ writeKey }) => writeKey)]
  return keys.some((key) => key !== plainKey && key !== unknownKey)
}

/** Rule 17: what is under another key than the common one is as stale as what is in another version. */
function keysEqual(writers: readonly AgreementEntry[], entries: readonly AgreementEntry[]): Undated {
  const common = commonWriteKey(writers)
  if (common !== undefined) {
    // Equal it is, and yet whoever rotates a key must not take that for the end of it.
    const waits = keyWaitsOf(entries).map((each) => `; ${keyWaitText(each)}`)
    const message = `all servers write under ${common}${waits.join('')}`
    return condition('AllWriteKeysEqual', true, 'CommonWriteKeySet', message)
  }
  const who = writers.map(({ serverID, writeKey }) => `${serverID} writes under ${writeKey}`)
  return condition('AllWriteKeysEqual', false, 'CommonWriteKeyUnset', who.join(', ') || 'no server writes')
}

function fencing(
  who: {
    readonly loose: readonly string[]
    readonly unseen: readonly string[]
    /** The unseen are among them. Whoever does not record has no entry that the others could be fenced by. */
    readonly unrecorded: ReadonlySet<string>
  },
  marks: readonly LooseMark[],
): Undated {
  const { loose, unseen, unrecorded } = who
  const unfenced = [...new Set([...loose, ...[...unrecorded].sort()])]
  if (unfenced.length > 0) {
    const unguarded = unseen.length > 0 ? 'ServersUnseen' : 'ServersDoNotRecord'
    const reason = loose.length > 0 ? 'LooseServers' : unguarded
    return condition('Fenced', false, reason, `not guarded: ${nameSome(unfenced)}`)
  }
  if (marks.length === 0) {
    return condition('Fenced', true, 'AllWritesGuarded', 'every write is guarded by this record')
  }
  const names = nameSome([...new Set(marks.map(({ serverID }) => serverID))].sort())
  const message = `${names} may still write unguarded: its entry was removed while writes may be on their way, and ${looseSettledMs / 1000} seconds have not passed yet`
  return condition('Fenced', false, 'LooseServersGone', message)
}

/** While nobody has reported, what was written before; whoever writes without reporting, in whatever they like. */
function encodingsOf(
  entries: readonly AgreementEntry[],
  previous: AgreementStatus | undefined,
  unrecorded: ReadonlySet<string>,
): readonly string[] {
  const before = previous?.encodings ?? []
  if (entries.length > 0) return withUnrecorded(distinctEncodings(entries), unrecorded)
  return unrecorded.size > 0 ? withUnrecorded(before, unrecorded) : before
}

type Undated = Omit<AgreementCondition, 'lastTransitionTime'>

function condition(type: AgreementConditionType, holds: boolean, reason: string, message: string): Undated {
  return { type, status: holds ? 'True' : 'False', reason, message }
}

function keepTransitionTime(
  condition: Undated,
  previous: AgreementStatus | undefined,
  now: string,
): AgreementCondition {
  const before = previous?.conditions.find(({ type }) => type === condition.type)
  const { type, status, reason, message } = condition
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now
  return { type, status, lastTransitionTime, reason, message }
}

function disagreement(entries: readonly AgreementEntry[]): string {
  if (entries.length === 0) return 'no server has reported'
  return entries.map(({ serverID, encodingVersion }) => `${serverID} encodes ${encodingVersion}`).join(', ')
}

function whoIsMissing(present: number, expectedServers: number, missing: readonly string[]): string[] {
  if (missing.length > 0) return [`no entry from ${nameSome(missing)}`]
  if (present === 0) return ['no server has reported']
  return present < expectedServers ? [`${present} of ${expectedServers} expected servers have reported`] : []
}

function whoWrites(unrecorded: ReadonlySet<string>): string[] {
  return unrecorded.size === 0 ? [] : [`${nameSome([...unrecorded].sort())} writes without recording it`]
}

function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}

/**
 * The StorageVersion status that shows a record (KEP-2339). It lists every server that has an entry, also one that refuses
 * writes. What is common is said of those that write: a server that waits for a migration would otherwise keep controllers
 * that read this object from asking for it. Where all refuse, it is said of all.
 */
export function projectStorageVersion(
  entries: readonly AgreementEntry[],
  previous: StorageVersionStatus | undefined,
  now: string,
): StorageVersionStatus {
  const writers = writersOf(entries)
  const counted = writers.length > 0 ? writers : entries
  const { conditions = [], ...summary } = summarizeServers(counted.map(shownServer), previous, { now })
  // What a client said of the resource before it was the servers' is not what they say.
  const said = { ...summary, storageVersions: entries.map(shownServer) }
  return { ...said, conditions: conditions.filter(({ type }) => type === 'AllEncodingVersionsEqual') }
}

/**
 * Upstream's rules allow no entry that encodes what it cannot decode. A voter that cannot write what is selected writes
 * nothing; shown is what it would write.
 */
function shownServer({
  serverID,
  encodingVersion,
  preferredVersion = encodingVersion,
  decodableVersions,
  servedVersions,
}: AgreementEntry): ServerStorageVersion {
  const isDecodable = decodableVersions.includes(encodingVersion)
  return {
    apiServerID: serverID,
    encodingVersion: isDecodable ? encodingVersion : preferredVersion,
    decodableVersions,
    servedVersions,
  }
}
