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
  /** Why something else may have been written that nobody recorded, before now. */
  readonly gap: GapCause | undefined
  readonly now: string
}

/**
 * The encodings of those who have reported, and, if others write too, that they do. So the epoch is raised when such a server
 * comes and again when it goes, and nobody takes the bytes of that time for what they seem to be.
 */
export function withUnrecorded(encodings: readonly string[], unrecorded: ReadonlySet<string>): string[] {
  const reported = encodings.filter((each) => each !== unrecordedEncoding)
  return unrecorded.size === 0 ? reported : [...reported, unrecordedEncoding]
}

/**
 * When something was last written that nobody recorded, and why, for people; at the epoch that has been decided. Whether
 * anything of it may still be stored is another list's to say (`decide-persisted.ts`).
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

/** What was said of it while it went on, in the past: who it was must not be forgotten. */
function endOf(before: RecordingGap | undefined): string {
  if (before?.reason === 'ServersDoNotRecord' && before.message.endsWith(writing)) {
    return `${before.message.slice(0, -writing.length)} wrote without recording it for a while`
  }
  const ended = 'a server wrote without recording it for a while'
  return before ? `${ended}; before that, ${before.message}` : ended
}

/**
 * A gap is closed by proof: when every stored object has been read, and no version that nobody recorded may be stored any
 * more. It is kept as history then. Otherwise: a forged identity Lease stands for a second, and every record claims for
 * ever that something unrecorded may be stored.
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
