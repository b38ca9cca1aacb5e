import type { MigrationProgress } from '@strata/api'
import type { ObjectReference } from '@strata/client'
import type { MigrationEnd, MigrationTarget, Subject } from '@strata/controllers'
import type { Claim } from '@strata/insight'
import type { PastMigration } from '../evidence/decide-evidence.ts'

export type { MigrationObject } from '@strata/insight'

/** How a migration ended. */
export type RecordEnd = MigrationEnd

/** A stored migration: an object of the cluster, or a file. */
export interface RecordState {
  /** Its name for people. */
  readonly where: string
  /** Unique to this migration. */
  readonly id: string
  /** Changes with every write. */
  readonly mark: string
  readonly claim: Claim | undefined
  /** Another migrator runs it. */
  readonly isForeign: boolean
  readonly isPaused: boolean
  /** Why it paused by itself: the process that ran it could not continue. */
  readonly failure?: string | undefined
  /** A user has cancelled or deleted it. */
  readonly isCancelled: boolean
  readonly end: RecordEnd | undefined
  /** The error that the process that runs it retries. */
  readonly waitingFor?: string | undefined
  readonly progress: MigrationProgress
}

export type SaveOutcome =
  | 'saved'
  /** Another process holds it now. */
  | 'taken'
  /** A user has cancelled or deleted it. */
  | 'deleted'
  /** A user has paused it. */
  | 'paused'

/** A migration that this process has claimed. */
export interface HeldRecord {
  readonly where: string
  /** Why the record ends with this process, and the next one begins anew; absent if it is stored. */
  readonly unkept?: string
  /** The object that Events are about; a file has none. */
  readonly subject?: Subject
  /** The progress before this process claimed it. */
  readonly progress: MigrationProgress
  /** Also the error that it retries, if it makes no progress. */
  save(progress: MigrationProgress, signal: AbortSignal, waitingFor?: string): Promise<SaveOutcome>
  /** Shows that this process is alive. */
  renew(signal: AbortSignal): Promise<SaveOutcome>
  finish(end: RecordEnd, progress: MigrationProgress, signal: AbortSignal): Promise<SaveOutcome>
  /** Pauses it, to be resumed later; with the failure if this process could not continue. */
  release(progress: MigrationProgress, failure: string | undefined, signal: AbortSignal): Promise<SaveOutcome>
}

export interface Requested {
  readonly where: string
  /** It existed, and was paused. */
  readonly wasPaused: boolean
  /** The command that runs it. If that is stopped, the migration is paused again. */
  readonly heldBy?: Claim
}

/** Stores the migrations of one resource. */
export interface RecordStore {
  /** The migration that has not ended. */
  readOpen(signal: AbortSignal): Promise<RecordState | undefined>
  readById(id: string, signal: AbortSignal): Promise<RecordState | undefined>
  /** The migrations that have ended, the latest first. */
  readPast(signal: AbortSignal): Promise<readonly PastMigration[]>
  /** The open one, else the one that ended last. */
  readLatest(signal: AbortSignal): Promise<RecordState | undefined>
  /**
   * Takes objects that are mended off those that an ended migration has set aside. False if the record has changed since it was
   * read, or names none of them.
   */
  takeOff(ended: RecordState, objects: readonly ObjectReference[], signal: AbortSignal): Promise<boolean>
  /** Claims the open one, or creates one; undefined if another process was faster. */
  claim(
    open: RecordState | undefined,
    target: MigrationTarget,
    signal: AbortSignal,
  ): Promise<HeldRecord | undefined>
  /** Ends a cancelled migration; false if it has changed since. */
  endCancelled(open: RecordState, signal: AbortSignal): Promise<boolean>
  /**
   * Requests a migration from the controllers, unless one is open; removes the pause of a paused one. Undefined where no
   * controllers would run it.
   */
  request(signal: AbortSignal): Promise<Requested | undefined>
  /** The command that lets the controllers resume it, if they can. */
  handOver(where: string): string | undefined
}
