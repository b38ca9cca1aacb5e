import type { ResourceClient } from '@strata/client'
import { isAbsence, isConflict } from '@strata/client'
import { type Hold, holdAnnotation, holdIn, holdRenewedAnnotation, resultWords } from '@strata/controllers'
import type { Clock } from '@strata/world'
import type { AnyMigration, MigrationForm, Stage } from './migration-form.ts'
import type { HeldRecord, RecordEnd, SaveOutcome } from './record.ts'

/** Whoever runs migrations leaves these alone. */
export const pausedAnnotation = 'strata.dev/paused'
/** What else people and runners write on migrations. */
const cancelAnnotation = 'strata.dev/cancel'
export const runnerAnnotation = 'strata.dev/claimed-by'
const running = 'The migration is running'
/** Others write the object too; none of them all the time. */
const mostTries = 8

export interface Found {
  readonly form: MigrationForm
  readonly object: AnyMigration
}

/** What holds an object for us. */
export const claimed = (claim: Hold, clock: Clock): Record<string, string> => ({
  [holdAnnotation]: JSON.stringify(claim),
  [holdRenewedAnnotation]: timeOf(clock),
  // Until it says that it is running.
  [pausedAnnotation]: 'true',
})

const timeOf = (clock: Clock): string => `${new Date(clock.wallMs()).toISOString().slice(0, 19)}Z`

/** As kubectl takes it. */
export const whereOf = ({ form, object }: Found): string =>
  `${form.definition.resource}.${form.definition.group}/${object.metadata.name}`

/** A migration object that this process has claimed. */
export class HeldObject implements HeldRecord {
  readonly where: string
  readonly progress
  readonly #objects: ResourceClient<AnyMigration>
  readonly #form: MigrationForm
  readonly #claim: Hold
  readonly #clock: Clock
  #object: AnyMigration

  constructor(objects: ResourceClient<AnyMigration>, found: Found, claim: Hold, clock: Clock) {
    this.where = whereOf(found)
    this.progress = found.object.status ?? {}
    this.#objects = objects
    this.#form = found.form
    this.#claim = claim
    this.#clock = clock
    this.#object = found.object
  }

  /**
   * Says that it is running, and only then that it is not paused any more. A migration that runs and that no runner has
   * claimed is left alone by all of them for as long as it is written; one that has not begun would be theirs.
   */
  async begin(signal: AbortSignal): Promise<SaveOutcome> {
    const begun = await this.#write(this.progress, 'Running', running, signal, false)
    return begun === 'saved' ? this.#change({ [pausedAnnotation]: null }, signal, false) : begun
  }

  save: HeldRecord['save'] = (progress, signal) => this.#write(progress, 'Running', running, signal)

  renew: HeldRecord['renew'] = (signal) =>
    this.#change({ [holdRenewedAnnotation]: timeOf(this.#clock) }, signal)

  finish: HeldRecord['finish'] = (end, progress, signal) =>
    this.#write({ ...progress, result: resultOf(end) }, stageOf(end), end.because, signal)

  release: HeldRecord['release'] = async (progress, signal) => {
    const saved = await this.#write(progress, 'Running', running, signal, false)
    if (saved !== 'saved') return saved
    const gone = { [holdAnnotation]: null, [holdRenewedAnnotation]: null }
    // As a runner leaves one: the next runner need not wait and see whether it still moves.
    const left = {
      [runnerAnnotation]: `${this.#claim.hostname}_${this.#claim.id}`,
      [pausedAnnotation]: 'true',
    }
    return this.#change({ ...gone, ...left }, signal, false)
  }

  #write(
    progress: HeldRecord['progress'],
    stage: Stage,
    message: string,
    signal: AbortSignal,
    heedsPause = true,
  ): Promise<SaveOutcome> {
    const said = { message, at: timeOf(this.#clock) }
    return this.#retry(signal, heedsPause, (object) => {
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
    heedsPause = true,
  ): Promise<SaveOutcome> {
    return this.#retry(signal, heedsPause, ({ metadata: { name = '', resourceVersion } }) =>
      this.#objects.patch({ name }, { metadata: { resourceVersion, annotations } }, signal),
    )
  }

  /** In the state that we know, or else in the one that is there, if it is still ours. */
  async #retry(
    signal: AbortSignal,
    heedsPause: boolean,
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
      const { annotations = {}, deletionTimestamp } = this.#object.metadata
      if (deletionTimestamp !== undefined || isSaid(annotations[cancelAnnotation])) return 'deleted'
      const isTaken =
        holdIn(annotations)?.id !== this.#claim.id || annotations[runnerAnnotation] !== undefined
      if (isTaken) return 'taken'
      if (heedsPause && annotations[pausedAnnotation] === 'true') return 'paused'
    }
  }
}

const isSaid = (word: string | undefined): boolean => ![undefined, '', 'false'].includes(word)

const stageOf = ({ outcome }: RecordEnd): Stage => (outcome === 'succeeded' ? 'Succeeded' : 'Failed')
const resultOf = ({ proof }: RecordEnd) => resultWords[proof]
