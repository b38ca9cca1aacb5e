import type { AgreementEntry } from '@strata/api'
import type { Writer } from '@strata/server/history-for-test'
import type { Key, Revision } from '@strata/server/store'
import type { ExceptionReason } from './judge-put.ts'

/** A violation in the history. */
export interface HistoryException {
  readonly resource: string
  readonly key: Key
  readonly revision: Revision
  readonly reason: ExceptionReason
  /** The text after the key. */
  readonly message: string
  /** Absent if the put has no writer mark. */
  readonly writer?: Writer
  readonly guarantee?: AgreementEntry['guarantee']
}

/** The findings of one resource. */
export interface ResourceFindings {
  readonly resource: string
  readonly puts: number
  /** The number of puts by version. */
  readonly storedVersions: Readonly<Record<string, number>>
  /** How many puts have a writer mark; for the others only all entries together are known. */
  readonly marked: number
  readonly ambiguous: number
  /** Encrypted under a key that was not given. */
  readonly unseen: number
  readonly exceptions: number
  /** The revision of the first and of the last put. */
  readonly fromRevision?: Revision
  readonly toRevision?: Revision
  /** How often the agreement record was changed. */
  readonly recordChanges: number
  /** How often something may have been written without being recorded (docs/design/agreement.md, rule 18). */
  readonly recordingGaps: number
}

export interface HistoryFindings {
  /** Everything after this revision was seen … */
  readonly afterRevision: Revision
  /** … up to this one. */
  readonly toRevision: Revision
  /** Whether everything that was requested could be read. */
  readonly whole: boolean
  /** Nothing before this revision is left; absent if nothing that was requested is compacted. */
  readonly compactedRevision?: Revision
  readonly puts: number
  readonly marked: number
  readonly ambiguous: number
  readonly unseen: number
  /** The keys that the unseen values name. */
  readonly missingKeys: readonly string[]
  readonly exceptions: number
  /** Puts of kinds that have one version for ever (rule 0). */
  readonly exempt: number
  readonly resources: readonly ResourceFindings[]
  /** The first exceptions. */
  readonly exceptionList: readonly HistoryException[]
}
