import type { MigrationProgress } from '@strata/api'
import type { Claim, MigrationEnd, MigrationTarget, Subject } from '@strata/controllers'
import type { PastMigration } from '../evidence/decide-evidence.ts'

export type { MigrationObject } from '@strata/controllers'

/** How a migration ended, as it is written down. */
export type RecordEnd = MigrationEnd

/** A migration as it is written down, in an object of the cluster or in a file. */
export interface RecordState {
  /** For people. */
  readonly where: string
  /** Which migration this is: another one of the same resource has another. */
  readonly id: string
  /** Another one after every write. */
  readonly mark: string
  readonly claim: Claim | undefined
  /** It says that it runs, and bears no mark of anybody like us. */
  readonly isForeign: boolean
  readonly isPaused: boolean
  /** Of one that is paused because whoever had it could not go on: why. */
  readonly failure?: string | undefined
  /** Whoever deleted or cancelled it does not want it to go on. */
  readonly isCancelled: boolean
  readonly end: RecordEnd | undefined
  /** What is in its way, as whoever is at it says. */
  readonly waitingFor?: string | undefined
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
  /** Where it is an object of the cluster, to which things may happen that are told as Events. */
  readonly subject?: Subject
  /** How whoever had it before us left it. */
  readonly progress: MigrationProgress
  /** Also what is in its way, where nothing moves. */
  save(progress: MigrationProgress, signal: AbortSignal, waitingFor?: string): Promise<SaveOutcome>
  /** Says that we are still there. */
  renew(signal: AbortSignal): Promise<SaveOutcome>
  finish(end: RecordEnd, progress: MigrationProgress, signal: AbortSignal): Promise<SaveOutcome>
  /** Leaves it as it is, for whoever goes on with it; with the reason if we could not. */
  release(progress: MigrationProgress, failure: string | undefined, signal: AbortSignal): Promise<SaveOutcome>
}

export interface Requested {
  readonly where: string
  /** It was there, and waited for somebody to want it to go on. */
  readonly wasPaused: boolean
  /** A command that was at it when we looked, and may yet be stopped: then it is paused again. */
  readonly heldBy?: Claim
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
  /** Says of one that was cancelled that it is over; false if it is not as it was seen. */
  endCancelled(open: RecordState, signal: AbortSignal): Promise<boolean>
  /**
   * Asks the controllers for a migration, if none is on its way already; one that is paused is let go on. Undefined where
   * there are none who would heed it.
   */
  request(signal: AbortSignal): Promise<Requested | undefined>
  /** How to have the controllers go on with it, where that can be done. */
  handOver(where: string): string | undefined
}
