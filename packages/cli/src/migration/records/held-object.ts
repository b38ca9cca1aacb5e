import type { ResourceClient } from '@strata/client'
import {
  failureOfOutcome,
  finalProgress,
  type Heeds,
  MigrationWriter,
  pausedStage,
  type Stage,
  type Subject,
  type WriteOutcome,
} from '@strata/controllers'
import { type Claim, type MigrationObject, type MigrationView, objectName, pausing } from '@strata/insight'
import type { Clock } from '@strata/world'
import type { HeldRecord, RecordEnd, SaveOutcome } from './record.ts'

const fieldManager = 'strata-migrate'
const outcomes: Readonly<Record<WriteOutcome, SaveOutcome>> = {
  ...{ written: 'saved', gone: 'deleted', cancelled: 'deleted', paused: 'paused' },
  ...{ ended: 'taken', 'taken over': 'taken', 'about something else': 'taken' },
}

/** A migration object that this process claims, or has claimed. */
export class HeldObject implements HeldRecord {
  readonly where: string
  readonly subject: Subject
  readonly progress
  readonly #writer: MigrationWriter
  /** A user has paused it, and this process has seen that. */
  #sawPause = false

  constructor(migrations: ResourceClient<MigrationObject>, view: MigrationView, claim: Claim, clock: Clock) {
    const { group, name, uid, progress } = view
    this.where = objectName(view)
    this.subject = { group, versionName: migrations.address.versionName, name, uid }
    this.progress = progress
    // A command decides on one state of the object: if that has changed, the caller looks again.
    const mayTake = () => false
    this.#writer = new MigrationWriter({
      ...{ clock, migrations, view, claim, mayTake, isWatched: false, fieldManager },
    })
  }

  async claim(
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    return outcomes[await this.#writer.claim(signal, annotations)]
  }

  begin(signal: AbortSignal): Promise<SaveOutcome> {
    return this.save(this.progress, signal)
  }

  /** Removes our claim; nothing else changes but these annotations. */
  async giveBack(annotations: Readonly<Record<string, string>>, signal: AbortSignal): Promise<SaveOutcome> {
    return outcomes[(await this.#writer.release(signal, annotations, 'cancel')) ?? 'taken over']
  }

  save: HeldRecord['save'] = (progress, signal, waitingFor) =>
    this.#write({ kind: 'running', waitingFor }, progress, signal)

  renew: HeldRecord['renew'] = async (signal) =>
    this.#heed(await this.#writer.renew(signal, 'pause and cancel'))

  /** Ends a migration that a user has cancelled, unless the object has changed since. */
  async cancel(signal: AbortSignal): Promise<SaveOutcome> {
    const stage = { kind: 'failed', failure: 'Aborted', message: 'it was cancelled' } as const
    return outcomes[await this.#writer.write({ stage }, signal, 'every change')]
  }

  /** Also if a user has paused or cancelled it: the work is done. */
  finish: HeldRecord['finish'] = (end, progress, signal) =>
    this.#write(stageOf(end), finalProgress(progress, end.proof), signal, 'nothing')

  release: HeldRecord['release'] = async (progress, failure, signal) => {
    const saved = await this.#write(pausedStage(this.#writer.view, failure), progress, signal, 'cancel')
    // The pause keeps the controllers from resuming what a user has just stopped. Once a user's pause was seen, no second
    // one is set. Otherwise:
    // 1. User A pauses the migration, and this process sees it.
    // 2. User B removes the pause, for the controllers to resume it.
    // 3. This process pauses it again.
    return saved === 'saved' ? this.giveBack(this.#sawPause ? {} : pausing(failure), signal) : saved
  }

  async #write(
    stage: Stage,
    progress: HeldRecord['progress'],
    signal: AbortSignal,
    heeds: Heeds = 'pause and cancel',
  ): Promise<SaveOutcome> {
    return this.#heed(await this.#writer.write({ stage, progress }, signal, heeds))
  }

  #heed(outcome: WriteOutcome): SaveOutcome {
    this.#sawPause ||= outcome === 'paused'
    return outcomes[outcome]
  }
}

const stageOf = ({ outcome, because }: RecordEnd): Stage =>
  outcome === 'succeeded'
    ? { kind: 'succeeded', because }
    : { kind: 'failed', failure: failureOfOutcome(outcome), message: because }
