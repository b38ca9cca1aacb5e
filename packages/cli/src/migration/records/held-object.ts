import type { ResourceClient } from '@strata/client'
import { isAbsence, isConflict } from '@strata/client'
import {
  type Claim,
  claimAnnotation,
  claimIn,
  claimRenewedAnnotation,
  claimText,
  isCancelled,
  isPaused,
  pausedAnnotation,
  pausing,
  releasingAnnotations,
  resultWords,
  runningMessage,
  type Subject,
} from '@strata/controllers'
import type { Clock } from '@strata/world'
import type { AnyMigration, MigrationForm, Stage } from './migration-form.ts'
import type { HeldRecord, RecordEnd, SaveOutcome } from './record.ts'

/** Others write the object too; none of them all the time. */
const mostTries = 8

/** What people have written meanwhile, and that would keep us from a write. */
type Heeds = 'everything' | 'cancellation' | 'nothing'

export interface Found {
  readonly form: MigrationForm
  readonly object: AnyMigration
}

/** What makes an object ours. */
export const claimed = (claim: Claim, clock: Clock): Record<string, string> => ({
  [claimAnnotation]: claimText(claim),
  [claimRenewedAnnotation]: timeOf(clock),
})

const timeOf = (clock: Clock): string => `${new Date(clock.wallMs()).toISOString().slice(0, 19)}Z`

/** As kubectl takes it. */
export const whereOf = ({ form, object }: Found): string =>
  `${form.definition.resource}.${form.definition.group}/${object.metadata.name}`

/** A migration object that this process has claimed. */
export class HeldObject implements HeldRecord {
  readonly where: string
  readonly subject: Subject
  readonly progress
  readonly #objects: ResourceClient<AnyMigration>
  readonly #form: MigrationForm
  readonly #claim: Claim
  readonly #clock: Clock
  #object: AnyMigration
  #isToldToWait = false

  constructor(objects: ResourceClient<AnyMigration>, found: Found, claim: Claim, clock: Clock) {
    this.where = whereOf(found)
    const { name = '', uid = '' } = found.object.metadata
    const { definition, versionName } = found.form
    this.subject = { group: definition.group, versionName, name, uid }
    this.progress = found.object.status ?? {}
    this.#objects = objects
    this.#form = found.form
    this.#claim = claim
    this.#clock = clock
    this.#object = found.object
  }

  begin(signal: AbortSignal): Promise<SaveOutcome> {
    return this.save(this.progress, signal)
  }

  /** Leaves it as if we had never had it: somebody else is at the same resource. */
  giveBack(paused: Readonly<Record<string, string>>, signal: AbortSignal): Promise<SaveOutcome> {
    return this.#change({ ...releasingAnnotations, ...paused }, signal, 'cancellation')
  }

  save: HeldRecord['save'] = (progress, signal, because) => {
    const message = runningMessage(because === undefined ? {} : { because })
    return this.#write(progress, 'Running', message, signal)
  }

  renew: HeldRecord['renew'] = (signal) =>
    this.#change({ [claimRenewedAnnotation]: timeOf(this.#clock) }, signal)

  /** Also of one that somebody wants to wait or to end by now: nothing is left that could. */
  finish: HeldRecord['finish'] = (end, progress, signal) =>
    this.#write({ ...progress, result: resultOf(end) }, stageOf(end), end.because, signal, 'nothing')

  release: HeldRecord['release'] = async (progress, failure, signal) => {
    const next = `kubectl annotate ${this.where} ${pausedAnnotation}-`
    const why = failure === undefined ? '' : `, for it could not go on: ${failure}`
    const paused = `The migration is paused${why}; to go on: ${next}`
    const saved = await this.#write(progress, 'Paused', paused, signal, 'cancellation')
    // Paused: otherwise the controllers would go on with what somebody has just stopped. But not once more. Otherwise:
    // somebody pauses it, and we hear of that; somebody else removes the pause, for the controllers to go on, and is told
    // that they will; and then we put it back.
    const pause = this.#isToldToWait ? {} : pausing(failure)
    return saved === 'saved' ? this.giveBack(pause, signal) : saved
  }

  #write(
    progress: HeldRecord['progress'],
    stage: Stage,
    message: string,
    signal: AbortSignal,
    heeds: Heeds = 'everything',
  ): Promise<SaveOutcome> {
    const said = { message, at: timeOf(this.#clock) }
    return this.#retry(signal, heeds, (object) => {
      const conditions = this.#form.conditionsOf(object.status?.conditions ?? [], stage, said)
      const { resourceVersion } = (object.status ?? {}) as { readonly resourceVersion?: string }
      const status = {
        ...progress,
        conditions,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      }
      return this.#objects.updateSubresource('status', { ...object, status }, signal)
    })
  }

  #change(
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
    heeds: Heeds = 'everything',
  ): Promise<SaveOutcome> {
    return this.#retry(signal, heeds, ({ metadata: { name = '', resourceVersion } }) =>
      this.#objects.patch({ name }, { metadata: { resourceVersion, annotations } }, signal),
    )
  }

  /** In the state that we know, or else in the one that is there, if it is still ours. */
  async #retry(
    signal: AbortSignal,
    heeds: Heeds,
    write: (object: AnyMigration) => Promise<AnyMigration>,
  ): Promise<SaveOutcome> {
    const { name = '', uid } = this.#object.metadata
    for (let tries = 1; ; tries++) {
      try {
        this.#object = await write(this.#object)
        return 'saved'
      } catch (error) {
        if (isAbsence(error, this.#objects.address, name)) return 'deleted'
        if (!isConflict(error) || tries >= mostTries) throw error
      }
      try {
        this.#object = await this.#objects.get({ name }, signal)
      } catch (error) {
        if (isAbsence(error, this.#objects.address, name)) return 'deleted'
        throw error
      }
      if (this.#object.metadata.uid !== uid) return 'deleted'
      const { annotations = {} } = this.#object.metadata
      if (heeds !== 'nothing' && isCancelled(this.#object.metadata)) return 'deleted'
      if (claimIn(annotations)?.id !== this.#claim.id) return 'taken'
      if (heeds === 'everything' && isPaused(this.#object.metadata)) {
        this.#isToldToWait = true
        return 'paused'
      }
    }
  }
}

const stageOf = ({ outcome }: RecordEnd): Stage => (outcome === 'succeeded' ? 'Succeeded' : 'Failed')
const resultOf = ({ proof }: RecordEnd) => resultWords[proof]
