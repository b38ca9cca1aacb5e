import type { ExitWord } from '../../output/exit-codes.ts'
import type { SavedBytes } from '../../stored/save-bytes.ts'
import type { ObjectFacts, Way } from './decide-ways.ts'

/** What a run did with an object that was set aside. */
export type RepairResult =
  /** Nothing was tried. */
  | 'set aside'
  | 'mended'
  | 'would be mended'
  /** It is not there any more. */
  | 'gone'
  /** Its bytes were saved, and then deleted. */
  | 'deleted'
  | 'would be deleted'
  /** The server still refuses it, or what was asked for. */
  | 'refused'
  /** A request was sent, and it is not known whether it was done. */
  | 'unknown'
  | 'not seen'

export interface RepairReport {
  readonly resource: string
  readonly namespace?: string | undefined
  readonly name: string
  readonly reason: string
  readonly message: string
  readonly now: ObjectFacts['now']
  readonly ways: readonly Way[]
  readonly result: RepairResult
  readonly because?: string
  readonly saved?: SavedBytes
  /** Where it is recorded; absent if no migration has set it aside, and the servers cannot decode it. */
  readonly record?: string | undefined
}

/** What is left of one resource. */
export interface RepairedResource {
  readonly resource: string
  readonly objects: readonly RepairReport[]
  /** Counted in the record, which names only the first hundred. */
  readonly unnamed: number
  /** Why the record still counts what is mended, or why the resource could not be looked at. */
  readonly because?: string
  readonly exit?: ExitWord
}

export const exitOfResult: Readonly<Record<RepairResult, ExitWord>> = {
  'set aside': 'incomplete',
  refused: 'incomplete',
  mended: 'proven',
  gone: 'proven',
  deleted: 'proven',
  'would be mended': 'rehearsed',
  'would be deleted': 'rehearsed',
  unknown: 'unknown',
  'not seen': 'notSeen',
}
