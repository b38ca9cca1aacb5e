import { groupResourceText } from '@strata/api'
import {
  compareResourceVersions,
  isAbsence,
  isConflict,
  type MergePatch,
  type ResourceClient,
} from '@strata/client'
import { type Clock, sleep } from '@strata/world'
import { holdAnnotation, holdRenewedAnnotation } from '../migrator/index.ts'
import {
  claimAnnotation,
  isEnded,
  type MigrationObject,
  type MigrationView,
  viewOf,
} from './migration-view.ts'

/** Why nothing may be said about a migration any more. */
export type Lost = 'gone' | 'ended' | 'taken over' | 'about something else'
export type WriteOutcome = 'written' | Lost

export interface MigrationRecordOptions {
  readonly clock: Clock
  readonly migrations: ResourceClient<MigrationObject>
  /** As the watch has told of it. */
  readonly view: MigrationView
  /** Who we are, in claims. */
  readonly identity: string
}

const attempts = 10
const newsEveryMs = 100
const newsPatienceMs = 5_000
const fieldManager = 'strata-migration-runner'

/**
 * One migration object while we see to it: what is known of it, and everything that is written to it. Each write names uid
 * and resourceVersion, and after our claim each of them asks whether the claim is still ours. Hence two runners that both
 * believe to lead cannot both write: the one that claims later moves the resourceVersion, the other is refused, reads the
 * claim and stops.
 */
export class MigrationRecord {
  readonly #options: MigrationRecordOptions
  #view: MigrationView
  #isGone = false
  #isClaimed = false

  constructor(options: MigrationRecordOptions) {
    this.#options = options
    this.#view = options.view
  }

  get view(): MigrationView {
    return this.#view
  }

  /** News from the watch; undefined: it was deleted. */
  take(view: MigrationView | undefined): void {
    if (view === undefined || view.uid !== this.#view.uid) this.#isGone = true
    else if ((compareResourceVersions(view.resourceVersion, this.#view.resourceVersion) ?? 1) > 0)
      this.#view = view
  }

  get lost(): Lost | undefined {
    if (this.#isGone) return 'gone'
    // Only Strata and upstream's own kind forbid that; whatever was done was done to the resource of before.
    if (groupResourceText(this.#view.resource) !== groupResourceText(this.#options.view.resource)) {
      return 'about something else'
    }
    if (isEnded(this.#view)) return 'ended'
    const { claimedBy, isHeld } = this.#view
    if (this.#isClaimed && (claimedBy !== this.#options.identity || isHeld)) return 'taken over'
    return undefined
  }

  /** Also where it is ours already: then nothing changes, and we know that what we know of it is so. */
  async claim(signal: AbortSignal): Promise<WriteOutcome> {
    const { identity } = this.#options
    const noHold = { [holdAnnotation]: null, [holdRenewedAnnotation]: null }
    const patch = { metadata: { annotations: { [claimAnnotation]: identity, ...noHold } } }
    const outcome = await this.#write(() => patch, signal)
    this.#isClaimed = outcome === 'written'
    return this.lost ?? outcome
  }

  /** Changes the status. `patch` is asked anew when somebody else was quicker. */
  writeStatus(patch: (view: MigrationView) => object, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#write((view) => ({ status: patch(view) }), signal, 'status')
  }

  annotate(annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#write(() => ({ metadata: { annotations } }), signal)
  }

  /** Of one that has ended: only to say that it runs no more. */
  writeLastStatus(patch: (view: MigrationView) => object, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#write((view) => ({ status: patch(view) }), signal, 'status', { isLast: true })
  }

  async #write(
    build: (view: MigrationView) => MergePatch,
    signal: AbortSignal,
    subresource?: 'status',
    { isLast = false } = {},
  ): Promise<WriteOutcome> {
    const { migrations } = this.#options
    for (let attempt = 1; ; attempt++) {
      const view = this.#view
      const { lost } = this
      if (lost !== undefined && !(isLast && lost === 'ended')) return lost
      const { name, uid, resourceVersion, group } = view
      const patch = build(view)
      const metadata = { ...(patch.metadata as object | undefined), uid, resourceVersion }
      const options = { fieldManager, ...(subresource ? { subresource } : {}) }
      try {
        const written = await migrations.patch({ name }, { ...patch, metadata }, signal, options)
        this.take(viewOf(group, written))
        return 'written'
      } catch (error) {
        if (isAbsence(error, migrations.address, name)) {
          this.#isGone = true
          return 'gone'
        }
        if (!isConflict(error) || attempt >= attempts || !(await this.#hearsNews(view, signal))) throw error
      }
    }
  }

  /** Waits until the watch has told what we were refused for. */
  async #hearsNews(than: MigrationView, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    const endMs = clock.monotonicMs() + newsPatienceMs
    while (this.#view === than && !this.#isGone) {
      if (clock.monotonicMs() >= endMs) return false
      await sleep(clock, newsEveryMs, signal)
    }
    return true
  }
}
