import type { AgreementEntry } from '@strata/api'
import type { Key, Revision } from '../store/index.ts'
import type { ExceptionReason } from './judge-put.ts'
import type { Writer } from './writer-mark.ts'

/** Something that ought not to be in the history. */
export interface HistoryException {
  readonly resource: string
  readonly key: Key
  readonly revision: Revision
  readonly reason: ExceptionReason
  /** Goes on where the key ends. */
  readonly message: string
  /** Absent where nobody has marked it. */
  readonly writer?: Writer
  readonly guarantee?: AgreementEntry['guarantee']
}

/** What was found of one resource. */
export interface ResourceFindings {
  readonly resource: string
  readonly puts: number
  /** How many of them in which version. */
  readonly storedVersions: Readonly<Record<string, number>>
  /** How many of them say who wrote them; of the others only what all entries say together is known. */
  readonly marked: number
  readonly ambiguous: number
  /** Encrypted under a key that was not given. */
  readonly unseen: number
  readonly exceptions: number
  /** Of the first put and of the last. */
  readonly fromRevision?: Revision
  readonly toRevision?: Revision
  /** How often the agreement record was changed. */
  readonly recordChanges: number
  /** How often something may have been written that nobody recorded (agreement.md, rule 18). */
  readonly recordingGaps: number
}

export interface HistoryFindings {
  /** Everything after this revision was seen … */
  readonly afterRevision: Revision
  /** … up to this one. */
  readonly toRevision: Revision
  /** Where all that was asked for could be seen. */
  readonly whole: boolean
  /** Nothing before this revision is left; absent where nothing that was asked for has been forgotten. */
  readonly compactedRevision?: Revision
  readonly puts: number
  readonly marked: number
  readonly ambiguous: number
  readonly unseen: number
  /** What those say of the keys that they are under. */
  readonly missingKeys: readonly string[]
  readonly exceptions: number
  /** Puts of kinds that have one version for ever (rule 0). */
  readonly exempt: number
  readonly resources: readonly ResourceFindings[]
  /** The first ones. */
  readonly exceptionList: readonly HistoryException[]
}
