import type { MigrationProgress } from '@strata/api'
import type { Conclusion, Hold, MigrationTarget } from '@strata/controllers'
import type { PastMigration } from './decide-evidence.ts'

/** How a migration ended, as it is written down. */
export type RecordEnd = Pick<Conclusion, 'outcome' | 'proof' | 'because'>

/** A migration as it is written down, in an object of the cluster or in a file. */
export interface RecordState {
  /** For people. */
  readonly where: string
  /** Which migration this is: another one of the same resource has another. */
  readonly id: string
  /** Another one after every write. */
  readonly mark: string
  readonly claim: Hold | undefined
  readonly isPaused: boolean
  readonly end: RecordEnd | undefined
  readonly progress: MigrationProgress
}

export type SaveOutcome =
  | 'saved'
  /** Somebody else has it by now. */
  | 'taken'
  /** Whoever deleted or cancelled it does not want it to go on. */
  | 'deleted'
  /** Somebody wants it to wait. */
  | 'paused'

/** A migration that this process has claimed. */
export interface HeldRecord {
  readonly where: string
  /** How whoever had it before us left it. */
  readonly progress: MigrationProgress
  save(progress: MigrationProgress, signal: AbortSignal): Promise<SaveOutcome>
  /** Says that we are still there. */
  renew(signal: AbortSignal): Promise<SaveOutcome>
  finish(end: RecordEnd, progress: MigrationProgress, signal: AbortSignal): Promise<SaveOutcome>
  /** Leaves it as it is, for whoever goes on with it. */
  release(progress: MigrationProgress, signal: AbortSignal): Promise<SaveOutcome>
}

/** Where the migrations of one resource are written down. */
export interface RecordStore {
  /** The one that is not over. */
  readOpen(signal: AbortSignal): Promise<RecordState | undefined>
  readById(id: string, signal: AbortSignal): Promise<RecordState | undefined>
  /** Those that are over, the latest first. */
  readPast(signal: AbortSignal): Promise<readonly PastMigration[]>
  /** Takes the open one, or begins one; undefined if somebody else was quicker. */
  claim(
    open: RecordState | undefined,
    target: MigrationTarget,
    signal: AbortSignal,
  ): Promise<HeldRecord | undefined>
  /** Asks the controllers for a migration; undefined where there are none who would heed it. */
  request(signal: AbortSignal): Promise<string | undefined>
  /** How to have the controllers go on with it, where that can be done. */
  handOver(where: string): string | undefined
}
