import { groupResourceText } from '@strata/api'
import {
  compareResourceVersions,
  isAbsence,
  isConflict,
  type MergePatch,
  type ResourceClient,
} from '@strata/client'
import { type Clock, sleep } from '@strata/world'
import {
  type Claim,
  claimAnnotation,
  claimRenewedAnnotation,
  claimText,
  releasingAnnotations,
} from './claim.ts'
import { isEnded, type MigrationObject, type MigrationView, viewOf } from './migration-view.ts'

/** Why nothing may be said about a migration any more. */
export type Lost = 'gone' | 'ended' | 'taken over' | 'about something else'
export type WriteOutcome = 'written' | Lost

export interface MigrationRecordOptions {
  readonly clock: Clock
  readonly migrations: ResourceClient<MigrationObject>
  /** As the watch has told of it. */
  readonly view: MigrationView
  /** Who we are. */
  readonly claim: Claim
  /** Whether it is ours to take, as it is told of now; of `view` that was asked before. */
  readonly mayTake: (view: MigrationView) => boolean
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
    if (this.#isClaimed && !this.isOurs) return 'taken over'
    return undefined
  }

  get isOurs(): boolean {
    return this.#view.claim?.id === this.#options.claim.id
  }

  /**
   * Also where it is ours already: then nothing changes, and we know that what we know of it is so. Whoever was quicker is
   * asked about anew. Otherwise: the runner sees that nobody has it; a command claims it, and begins; the runner's claim is
   * refused, and is written once more over the command's, whose work is then done twice.
   */
  async claim(signal: AbortSignal): Promise<WriteOutcome> {
    const ours = { [claimAnnotation]: claimText(this.#options.claim), [claimRenewedAnnotation]: null }
    const build = () => ({ metadata: { annotations: ours } })
    const outcome = await this.#write(build, signal, undefined, { isClaim: true })
    this.#isClaimed = outcome === 'written'
    return this.lost ?? outcome
  }

  /** For whoever comes next, who need not wait and see then whether we still move. */
  async release(signal: AbortSignal): Promise<void> {
    if (!this.isOurs) return
    this.#isClaimed = true
    await this.#write(() => ({ metadata: { annotations: releasingAnnotations } }), signal)
    this.#isClaimed = false
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
    { isLast = false, isClaim = false } = {},
  ): Promise<WriteOutcome> {
    const { migrations, mayTake, view: decidedOn } = this.#options
    for (let attempt = 1; ; attempt++) {
      const view = this.#view
      const { lost } = this
      if (lost !== undefined && !(isLast && lost === 'ended')) return lost
      if (isClaim && view !== decidedOn && !mayTake(view)) return 'taken over'
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
