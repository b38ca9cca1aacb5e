import { groupResourceText } from '@strata/api'
import {
  compareResourceVersions,
  isAbsence,
  isConflict,
  type MergePatch,
  type ResourceClient,
} from '@strata/client'
import {
  type Claim,
  claimAnnotation,
  claimRenewedAnnotation,
  claimText,
  isEnded,
  type MigrationObject,
  type MigrationView,
  releasingAnnotations,
  viewOf,
} from '@strata/insight'
import { type Clock, sleep, timestamp } from '@strata/world'
import { type StatusChange, statusPatch } from './status-patch.ts'

/** Why this process may not write to a migration any more. */
export type Lost = 'gone' | 'ended' | 'taken over' | 'about something else'
export type WriteOutcome = 'written' | Lost | 'cancelled' | 'paused'

/** Changes by others that keep a write from being made, beside a lost claim. */
export type Heeds = 'every change' | 'pause and cancel' | 'cancel' | 'nothing'

type Annotations = Readonly<Record<string, string | null>>

export interface MigrationWriterOptions {
  readonly clock: Clock
  readonly migrations: ResourceClient<MigrationObject>
  readonly view: MigrationView
  /** The claim of this process. */
  readonly claim: Claim
  /** Whether this process may claim the migration as it is now. The caller has already asked that for `view`. */
  readonly mayTake: (view: MigrationView) => boolean
  /** A watch reports changes (`observe`). Without one, the writer reads the object after a conflict. */
  readonly isWatched: boolean
  readonly fieldManager: string
}

interface Write {
  readonly subresource?: 'status'
  readonly heeds?: Heeds | undefined
  readonly isClaim?: boolean
  /** The migration has ended, and only its Running condition is still to be corrected. */
  readonly isLast?: boolean
}

const attempts = 10
const pollMs = 100
const watchPatienceMs = 5_000

/**
 * The one writer of StorageVersionMigrations: claim, status and annotations, for the runner and for `strata migrate`. Each
 * write names uid and resourceVersion, and each write after the claim checks that the claim is still ours. Two processes
 * that both believe they hold a migration cannot both write:
 *
 * 1. A claims the migration, and stalls.
 * 2. B takes it for abandoned and claims it, which changes the resourceVersion.
 * 3. A's next write is refused. A reads B's claim and stops.
 */
export class MigrationWriter {
  readonly #options: MigrationWriterOptions
  #view: MigrationView
  #isGone = false
  #isClaimed: boolean

  constructor(options: MigrationWriterOptions) {
    this.#options = options
    this.#view = options.view
    this.#isClaimed = this.isOurs
  }

  get view(): MigrationView {
    return this.#view
  }

  /** A watch event; undefined: the object was deleted. */
  observe(view: MigrationView | undefined): void {
    if (view === undefined || view.uid !== this.#view.uid) this.#isGone = true
    else if ((compareResourceVersions(view.resourceVersion, this.#view.resourceVersion) ?? 1) > 0)
      this.#view = view
  }

  get lost(): Lost | undefined {
    if (this.#isGone) return 'gone'
    // Some servers let users change the spec. The work so far was done on the resource of before.
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
   * Writes the claim, also where it is ours already: then the write confirms the view. After a conflict it asks `mayTake`
   * again. Otherwise:
   *
   * 1. The runner sees a migration without a claim.
   * 2. A command claims it and starts.
   * 3. The runner's claim is refused; it retries and overwrites the command's claim. Both do the same work.
   */
  async claim(signal: AbortSignal, annotations: Annotations = {}): Promise<WriteOutcome> {
    const { claim, clock } = this.#options
    const build = () => ({ metadata: { annotations: { ...claimAnnotations(claim, clock), ...annotations } } })
    const outcome = await this.#write(build, signal, { isClaim: true })
    this.#isClaimed = outcome === 'written'
    return this.lost ?? outcome
  }

  /** Shows that this process is alive. */
  renew(signal: AbortSignal, heeds?: Heeds): Promise<WriteOutcome> {
    return this.annotate({ [claimRenewedAnnotation]: timestamp(this.#options.clock) }, signal, heeds)
  }

  /** Removes our claim, so that the next process need not wait until ours counts as abandoned. */
  async release(
    signal: AbortSignal,
    annotations: Annotations = {},
    heeds?: Heeds,
  ): Promise<WriteOutcome | undefined> {
    if (!this.isOurs) return undefined
    const outcome = await this.annotate({ ...releasingAnnotations, ...annotations }, signal, heeds)
    this.#isClaimed = false
    return outcome
  }

  /** Writes the status. The patch is built again after a conflict. */
  write(change: StatusChange, signal: AbortSignal, heeds?: Heeds): Promise<WriteOutcome> {
    const isLast = change.stage.kind === 'over'
    const now = timestamp(this.#options.clock)
    const build = (view: MigrationView) => ({ status: statusPatch(view, change, now) })
    return this.#write(build, signal, { subresource: 'status', isLast, heeds })
  }

  annotate(annotations: Annotations, signal: AbortSignal, heeds?: Heeds): Promise<WriteOutcome> {
    return this.#write(() => ({ metadata: { annotations } }), signal, { heeds })
  }

  async #write(
    build: (view: MigrationView) => MergePatch,
    signal: AbortSignal,
    write: Write,
  ): Promise<WriteOutcome> {
    const { migrations, fieldManager } = this.#options
    for (let attempt = 1; ; attempt++) {
      const view = this.#view
      const refusal = this.#refusal(write)
      if (refusal) return refusal
      const { name, uid, resourceVersion, group } = view
      const patch = build(view)
      const metadata = { ...(patch.metadata as object | undefined), uid, resourceVersion }
      const options = { fieldManager, ...(write.subresource ? { subresource: write.subresource } : {}) }
      try {
        const written = await migrations.patch({ name }, { ...patch, metadata }, signal, options)
        this.observe(viewOf(group, written))
        return 'written'
      } catch (error) {
        if (this.#isDeleted(error)) return 'gone'
        if (!isConflict(error) || attempt >= attempts || !(await this.#refresh(view, signal))) throw error
      }
    }
  }

  /** Why a write may not be made, by what is known of the object. */
  #refusal({
    heeds = 'nothing',
    isClaim = false,
    isLast = false,
  }: Write): Exclude<WriteOutcome, 'written'> | undefined {
    const { mayTake, view: decidedOn } = this.#options
    const { lost } = this
    const view = this.#view
    if (lost === 'gone') return lost
    if (heeds === 'every change') return lost ?? (view === decidedOn ? undefined : 'taken over')
    if (heeds !== 'nothing' && view.isCancelled) return 'cancelled'
    if (isClaim && lost === 'taken over') return mayTake(view) ? undefined : lost
    if (lost !== undefined && !(isLast && lost === 'ended')) return lost
    if (heeds === 'pause and cancel' && view.isPaused) return 'paused'
    return isClaim && view !== decidedOn && !mayTake(view) ? 'taken over' : undefined
  }

  #isDeleted(error: unknown): boolean {
    const { migrations } = this.#options
    if (!isAbsence(error, migrations.address, this.#view.name)) return false
    this.#isGone = true
    return true
  }

  /** Learns what a write conflicted with; false if the watch does not report it in time. */
  async #refresh(than: MigrationView, signal: AbortSignal): Promise<boolean> {
    const { clock, isWatched, migrations } = this.#options
    if (!isWatched) {
      try {
        const { group, name, uid } = than
        const view = viewOf(group, await migrations.get({ name }, signal))
        if (view.uid === uid) this.#view = view
        else this.#isGone = true
      } catch (error) {
        if (!this.#isDeleted(error)) throw error
      }
      return true
    }
    const endMs = clock.monotonicMs() + watchPatienceMs
    while (this.#view === than && !this.#isGone) {
      if (clock.monotonicMs() >= endMs) return false
      await sleep(clock, pollMs, signal)
    }
    return true
  }
}

/** The annotations of a claim. Only commands renew theirs: the runner's Lease shows that it lives. */
export function claimAnnotations(claim: Claim, clock: Clock): Annotations {
  const renewed = claim.by === 'command' ? timestamp(clock) : null
  return { [claimAnnotation]: claimText(claim), [claimRenewedAnnotation]: renewed }
}

/**
 * Whether another process holds another open migration of the same resource. Asked after the claim: each process claims
 * first and lists then. So of two that claim two migrations at once, at least one sees the other, and gives way.
 */
export function isContested(
  { uid, resource }: MigrationView,
  all: readonly MigrationView[],
  isHeld: (other: MigrationView) => boolean,
): boolean {
  const key = groupResourceText(resource)
  const others = all.filter(
    (each) => each.uid !== uid && groupResourceText(each.resource) === key && !isEnded(each),
  )
  return others.some((each) => each.claim !== undefined && isHeld(each))
}
