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
  type StorageVersionStatus,
  shownServer,
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
  /** The store's revision of the record with that status. */
  readonly previousRevision?: number | undefined
  /** The entries of the servers, after the change that is being decided. */
  readonly entries: readonly AgreementEntry[]
  /** Ids of the servers that have an identity Lease. */
  readonly liveServers: ReadonlySet<string>
  /** Those of them that have registered every resource they have: without an entry here, they do not have this one. */
  readonly registered?: ReadonlySet<string>
  /** Those of them that do not record what they write (rule 18). */
  readonly unrecorded?: ReadonlySet<string>
  /** Processes without a Lease that do not record, after this change; undefined if they are the same as before. */
  readonly unseen?: readonly string[] | undefined
  /** Why objects may have been written without a record, apart from the servers above. */
  readonly gap?: GapCause | undefined
  /** How far a restore raises the epoch, at random (`drawEpochStep`). */
  readonly restoredEpochStep?: number | undefined
  readonly now: string
  /** The process that removes its own entry, after its last write. */
  readonly leavingProcess?: string | undefined
  /** Marks of loose processes that the deciding server has watched for long enough (rule 14). */
  readonly settledLoose?: ReadonlySet<string> | undefined
  /** The deciding server has read every stored object in one epoch: all had one version and one key. */
  readonly proof?: PersistedProof | undefined
  /** The deciding server has seen no server come or go for a while. */
  readonly isSettled?: boolean | undefined
  /** Nothing is stored, and no commit that was sent before can still arrive (`decide-forgetting.ts`). */
  readonly isEmptied?: boolean | undefined
}

/** The servers that write. One that refuses writes votes, but counts neither for an epoch nor for agreement (rule 12). */
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
 * Decides what is agreed and why, from the entries of the servers and their Leases. Pure, and reports commute. Agreement is
 * never claimed while a live server disagrees, or has not reported (rule 11).
 */
export function decideAgreement(
  facts: AgreementFacts,
  /** Handed in so that the simulator can break it. */
  select: typeof decideSelection = decideSelection,
): AgreementStatus {
  const { previous, now, gap, proof } = facts
  const fleet = countServers(facts, select)
  const { unrecorded, selection, entries, writers, agreed, marks, haveAllReported } = fleet
  const conditions = decideConditions(fleet, previous).map((each) => keepTransitionTime(each, previous, now))
  const { isEmptied, encodings, left, isSame, epoch } = decideEpoch(facts, fleet)
  const epochRevision = previous?.epochRevision ?? facts.previousRevision
  const recordingGap = decideGap({ previous, unrecorded, gap, now }, epoch)
  const persisted = decidePersisted({
    ...{ previous, encodings, gap, proof, isEmptied },
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
    // The record stood there in this epoch already, so its encodings name everything that was written since.
    ...(isSame && epochRevision !== undefined ? { epochRevision } : {}),
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
    ...(fleet.unseen.length > 0 ? { unseenProcesses: fleet.unseen } : {}),
    ...left,
    ...decideServing({
      ...{ previous, entries, lacking: fleet.lacking, isSettled: facts.isSettled === true },
      unrecorded: [...unrecorded].filter((id) => !fleet.reported.has(id)),
      isComplete: unrecorded.size === 0 && haveAllReported,
      haveAllReported,
    }),
    servers: entries,
    conditions,
  }
}

type Fleet = ReturnType<typeof countServers>

/** Which servers have an entry, which are missing, and which write without one. */
function countServers(facts: AgreementFacts, select: typeof decideSelection) {
  const { previous, liveServers } = facts
  // No Lease shows whether a process without an identity still runs. So its name stays until it is removed.
  const unseen = [...(facts.unseen ?? previous?.unseenProcesses ?? [])].sort()
  const unrecorded = new Set([...(facts.unrecorded ?? []), ...unseen])
  // A server without a Lease cannot be seen. The largest `--expected-servers` closes that gap (rule 11). It stands in the
  // entries, so that every server that evaluates the record uses the same number.
  const expectedServers = Math.max(0, ...facts.entries.map((entry) => entry.expectedServers ?? 0))
  const selection = select({
    previousVersion: previous?.selectedVersion,
    previousProcesses: new Set(previous?.servers.map(({ process }) => process)),
    ...{ entries: facts.entries, liveServers, expectedServers },
  })
  const entries = withSelection(facts.entries, selection?.selectedVersion)
  const writers = writersOf(entries)
  const present = entries.filter(({ serverID }) => liveServers.has(serverID)).length
  const common = commonEncodingVersion(writers)
  const reported = new Set(entries.map(({ serverID }) => serverID))
  const missing = [...liveServers].filter((id) => !reported.has(id)).sort()
  // Not for custom resources: a server that is fully registered may not have seen the CRD yet.
  const lacking = entries.some(({ isCustom }) => isCustom)
    ? []
    : missing.filter((id) => facts.registered?.has(id))
  const allReported =
    missing.length === 0 && unrecorded.size === 0 && entries.length > 0 && present >= expectedServers
  // A server that does not record never reports which versions it serves, so decideServing does not wait for it.
  const silent = missing.filter((id) => unrecorded.has(id) && !lacking.includes(id))
  const haveAllReported =
    entries.length > 0 &&
    lacking.length + silent.length === missing.length &&
    present + lacking.length + silent.length >= expectedServers
  return {
    ...{
      unseen,
      unrecorded,
      expectedServers,
      selection,
      entries,
      writers,
      present,
      common,
      reported,
      missing,
    },
    ...{ lacking, allReported, haveAllReported },
    agreed: allReported ? common : undefined,
    marks: decideLooseMarks({ ...facts, entries }),
  }
}

function decideConditions(fleet: Fleet, previous: AgreementStatus | undefined): readonly Undated[] {
  const { unseen, unrecorded, selection, entries, writers, common } = fleet
  const loose = entries.filter(({ guarantee }) => guarantee !== 'strict').map(({ serverID }) => serverID)
  return [
    common === undefined
      ? condition('AllEncodingVersionsEqual', false, 'CommonEncodingVersionUnset', disagreement(writers))
      : condition(
          'AllEncodingVersionsEqual',
          true,
          'CommonEncodingVersionSet',
          `all servers that record encode ${common}`,
        ),
    fleet.allReported
      ? condition('AllServersReported', true, 'AllServersReported', `${entries.length} servers have reported`)
      : condition(
          'AllServersReported',
          false,
          unrecorded.size > 0 ? 'ServersDoNotRecord' : 'ServersMissing',
          [...describeMissing(fleet), ...describeUnrecorded(unrecorded)].join('; '),
        ),
    fencing({ loose, unseen, unrecorded }, fleet.marks),
    ...(selection
      ? [condition('SelectionUnanimous', selection.isUnanimous, selection.reason, selection.message)]
      : []),
    ...(hasKeys(previous, writers) ? [keysEqual(writers, entries)] : []),
  ]
}

/** Rule 10: another epoch begins when the distinct encodings change, after a gap, and when the record becomes fenced. */
function decideEpoch(facts: AgreementFacts, { entries, writers, unrecorded, marks }: Fleet) {
  const { previous } = facts
  // While no server writes, the encodings of before stay. So a full stop and a start with the same encoding keep the epoch.
  const isEmptied = facts.isEmptied === true && writers.length === 0 && unrecorded.size === 0
  const encodings = isEmptied ? [] : encodingsOf(writers, previous, unrecorded)
  const left = marks.length === 0 ? {} : { looseUntilSettled: marks }
  // An unguarded write that arrives late belongs to the epoch before, which is not called fenced.
  const becomesFenced =
    previous !== undefined &&
    mayWriteLoosely(previous) &&
    !mayWriteLoosely({ encodings, servers: entries, ...left })
  const isSame =
    previous !== undefined &&
    facts.gap === undefined &&
    !becomesFenced &&
    sameStrings(previous.encodings, encodings)
  const epoch = previous === undefined ? 1 : isSame ? previous.epoch : previous.epoch + epochStep(facts)
  return { isEmptied, encodings, left, isSame, epoch }
}

const leastEpochStep = 1_000
/** After two million restores the epoch is still a safe integer. */
const epochSteps = 2 ** 32

/**
 * How far a restore raises the epoch: no epoch that the restore took back may come again (rule 19). Otherwise:
 *
 * 1. A migration begins in epoch 6. The store is restored, and the record stands in epoch 5.
 * 2. The next change of the record begins epoch 6.
 * 3. The migration takes it for its own epoch, and takes what it read before the restore for what is stored.
 *
 * The step is random, because the same backup may be restored twice. Otherwise:
 *
 * 1. The record of the backup stands in epoch 5, and after the first restore in 1005. A census proves 1005 clean.
 * 2. The backup is restored again, and the record stands in 1005 again.
 * 3. A client that remembers the proof applies it to objects that came back with the backup.
 */
export function drawEpochStep(random: Random): number {
  return leastEpochStep + integer(random, epochSteps)
}

function epochStep({ gap, restoredEpochStep = leastEpochStep }: AgreementFacts): number {
  return gap?.reason === 'StoreRestored' ? restoredEpochStep : 1
}

/** Whether an encryption key is in use, or objects may be stored under one. */
function hasKeys(previous: AgreementStatus | undefined, writers: readonly AgreementEntry[]): boolean {
  const keys = [...persistedKeysOf(previous), ...writers.map(({ writeKey }) => writeKey)]
  return keys.some((key) => key !== plainKey && key !== unknownKey)
}

/** Rule 17: an object under another key than the common one is as stale as an object in another version. */
function keysEqual(writers: readonly AgreementEntry[], entries: readonly AgreementEntry[]): Undated {
  const common = commonWriteKey(writers)
  if (common !== undefined) {
    // The keys are equal, and a rotation may still be under way: the message says which servers wait for another key.
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
    /** Includes the unseen. A server that does not record has no entry, so no entry says that its writes are guarded. */
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

/** What the entries encode; without an entry, what was encoded before. `unrecorded` is added if a server does not record. */
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

function describeMissing({ present, expectedServers, missing }: Fleet): string[] {
  if (missing.length > 0) return [`no entry from ${nameSome(missing)}`]
  if (present === 0) return ['no server has reported']
  return present < expectedServers ? [`${present} of ${expectedServers} expected servers have reported`] : []
}

function describeUnrecorded(unrecorded: ReadonlySet<string>): string[] {
  return unrecorded.size === 0 ? [] : [`${nameSome([...unrecorded].sort())} writes without recording it`]
}

function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}

/**
 * The StorageVersion status that shows a record (KEP-2339). It lists every server that has an entry, also one that refuses
 * writes. The common version is that of the servers that write. Otherwise a server that waits for a migration keeps the
 * controllers that read this object from starting one. If all servers refuse writes, it is the common version of all.
 */
export function projectStorageVersion(
  entries: readonly AgreementEntry[],
  previous: StorageVersionStatus | undefined,
  now: string,
): StorageVersionStatus {
  const writers = writersOf(entries)
  const counted = writers.length > 0 ? writers : entries
  const { conditions = [], ...summary } = summarizeServers(counted.map(shownServer), previous, { now })
  // Drops other conditions: a client may have written them before any server had an entry.
  const said = { ...summary, storageVersions: entries.map(shownServer) }
  return { ...said, conditions: conditions.filter(({ type }) => type === 'AllEncodingVersionsEqual') }
}
