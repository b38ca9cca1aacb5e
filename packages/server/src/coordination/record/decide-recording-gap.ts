import {
  type AgreementStatus,
  nameSome,
  type PersistedEncoding,
  type RecordingGap,
  type RecordingGapReason,
  unknownVersion,
  unrecordedEncoding,
} from '@strata/api'

export interface GapCause {
  readonly reason: RecordingGapReason
  readonly message: string
}

export interface GapFacts {
  readonly previous: AgreementStatus | undefined
  /** Live servers that do not record what they write. */
  readonly unrecorded: ReadonlySet<string>
  /** Why other objects may have been written without a record, before now. */
  readonly gap: GapCause | undefined
  readonly now: string
}

/**
 * The encodings of the servers that record, and `unrecorded` if others write too. So the epoch is raised when such a server
 * comes and again when it goes, and no server trusts bytes that were stored in between.
 */
export function withUnrecorded(encodings: readonly string[], unrecorded: ReadonlySet<string>): string[] {
  const reported = encodings.filter((each) => each !== unrecordedEncoding)
  return unrecorded.size === 0 ? reported : [...reported, unrecordedEncoding]
}

/**
 * When objects were last written without a record, and why, for people. `status.persisted` says whether any of them may still
 * be stored (`decide-persisted.ts`).
 */
export function decideGap(facts: GapFacts, epoch: number): RecordingGap | undefined {
  const { previous, unrecorded, gap, now } = facts
  const names = nameSome([...unrecorded].sort())
  if (gap !== undefined) return { epoch, at: now, ...gap }
  const wasUnrecorded = previous?.encodings.includes(unrecordedEncoding) ?? false
  if (unrecorded.size > 0 && !wasUnrecorded) {
    return { epoch, at: now, reason: 'ServersDoNotRecord', message: `${names}${writing}` }
  }
  if (unrecorded.size === 0 && wasUnrecorded && epoch !== previous?.epoch) {
    return { epoch, at: now, reason: 'ServersDidNotRecord', message: endOf(previous?.recordingGap) }
  }
  return previous?.recordingGap
}

const writing = ' writes without recording it'

/** The message of the gap in the past tense. It keeps the names of the servers. */
function endOf(before: RecordingGap | undefined): string {
  if (before?.reason === 'ServersDoNotRecord' && before.message.endsWith(writing)) {
    return `${before.message.slice(0, -writing.length)} wrote without recording it for a while`
  }
  const ended = 'a server wrote without recording it for a while'
  return before ? `${ended}; before that, ${before.message}` : ended
}

/**
 * A proof closes a gap: every stored object was read, and `status.persisted` has no `Unknown` version any more. The record
 * keeps the gap as history. Otherwise: a forged identity Lease stands for a second, and every record claims for ever that
 * unrecorded objects may be stored.
 */
export function closeGap(facts: {
  readonly previous: Pick<AgreementStatus, 'closedRecordingGap'> | undefined
  readonly persisted: readonly PersistedEncoding[]
  readonly recordingGap: RecordingGap | undefined
}): Pick<AgreementStatus, 'recordingGap' | 'closedRecordingGap'> {
  const { previous, persisted, recordingGap } = facts
  const isOpen = persisted.some(({ encodingVersion }) => encodingVersion === unknownVersion)
  const closed = isOpen ? previous?.closedRecordingGap : (recordingGap ?? previous?.closedRecordingGap)
  return {
    ...(isOpen && recordingGap ? { recordingGap } : {}),
    ...(closed ? { closedRecordingGap: closed } : {}),
  }
}
