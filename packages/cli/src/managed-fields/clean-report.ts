import type { Verdict } from '../migration/evidence/decide-evidence.ts'
import type { ExitWord } from '../output/exit-codes.ts'
import type { Ownership } from './ownership.ts'

/** An object that still has entries of dead versions, and why. */
export interface ObjectFailure {
  readonly object: string
  /** `unknown`: a write was sent, and it is not known whether it was done. */
  readonly result: 'failed' | 'unknown'
  readonly because: string
}

/** What became of one CRD. Its fields are those of -o json. */
export interface CleanReport {
  readonly definition: string
  readonly result:
    | 'cleaned'
    | 'would be cleaned'
    | 'nothing to clean'
    | 'refused'
    | 'incomplete'
    | 'declined'
    | 'stopped'
    | 'not seen'
  readonly because: string
  readonly exit: ExitWord
  /** What is known about the stored objects; absent where nothing had to be known. */
  readonly verdict?: Verdict
  /** How many objects there are, and how many of them name a dead version. */
  readonly objects?: number
  readonly affected?: number
  readonly cleaned?: number
  /** Whose ownership disappears. */
  readonly ownership?: readonly Ownership[]
  readonly failures?: readonly ObjectFailure[]
  readonly next?: string
}
