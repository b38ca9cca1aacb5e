import { abortable, deadline, jitter, sleep, uuid, type World } from '@strata/world'
import { storageRoot } from '../codec/index.ts'
import type { GapCause } from '../coordination/index.ts'
import {
  type Entry,
  type Guard,
  type Incarnation,
  incarnationText,
  type Key,
  mostPassedRevisions,
  OutcomeUnknown,
  parseIncarnation,
  passRevisions,
  type Replacement,
  type Revision,
  readOne,
  type Store,
  StoreReplaced,
  StoreUnavailable,
  TimelineStore,
} from '../store/index.ts'

/** A random ID of one timeline of the store. It is below `ticks/` for the same reason as the nonces of records. */
export const incarnationKey: Key = `${storageRoot}strata.dev/ticks/incarnation`

/** How long one attempt may take. It may include passing many revisions. */
const attemptMs = 120_000

export interface RecoveryParts {
  readonly world: World
  readonly store: Store
  /** The identity Lease of this server. */
  readonly ownKey: Key
  /** A key of this server, written to pass revisions. */
  readonly tickKey: Key
}

/** The parts of the server that stop when the store is replaced, and then start again. */
export interface StoreMember {
  /** Stops writes and drops cached reads, at once. */
  readonly stop: (error: StoreReplaced) => void
  /** Ends the watches of clients from revisions before this one: they may belong to a timeline that is over. */
  readonly forget: (before: Revision) => void
  /** Adds the recording gap to every record. */
  readonly mark: (gap: GapCause, signal: AbortSignal) => Promise<void>
  /** Marks every record and registers again, once the store may be read. */
  readonly rejoin: (gap: GapCause, signal: AbortSignal) => Promise<void>
}

/**
 * Recovers after the store was restored or replaced under a running server (agreement.md, rule 19). `TimelineStore` notices
 * it, by `decideContinuity`. Then:
 *
 * 1. Writes stop, and nothing read before is served.
 * 2. The store gets a new incarnation, so that all servers notice. This comes before step 3, which hides from them that the
 *    revision went back.
 * 3. The store passes the revisions of the old timeline, so that none is assigned twice.
 * 4. The cache is filled again, and watches end with 410.
 * 5. The Lease is taken again, every record gets a recording gap, and only then the server registers.
 * 6. The incarnation notes that every record has the gap. Until it does, each server that starts adds the gap first.
 *    Otherwise: A alone notices, renews the incarnation and is killed; then B starts, and writes under records without a gap.
 */
export class StoreRecovery {
  /** The store as this server sees it. It notices a replacement and refuses older answers. */
  readonly timeline: TimelineStore
  readonly #world: World
  readonly #tickKey: Key
  /** Set by the start, with the signal that ends the server. */
  #member: (StoreMember & { readonly signal: AbortSignal }) | undefined
  /** A replacement that was noticed before the start. */
  #early: Replacement | undefined
  #isRunning = false
  /** Resolves when the store may be read again. */
  #readable: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  #isReadable = false
  /** Resolves when every record has the gap of the last restore that was noticed before this server started. */
  readonly #marked = Promise.withResolvers<void>()
  /** Counts replacements, so that a second one during a recovery is not missed. */
  #count = 0
  #highest: Revision = 0
  #attempt: AbortController | undefined
  /** Incarnations that this server has read or written since the last replacement. */
  readonly #present = new Set<string>()
  /** Incarnations from before the last replacement. If the store has one of them, it was restored and not renewed since. */
  readonly #former = new Set<string>()

  constructor({ world, store, ownKey, tickKey }: RecoveryParts) {
    this.#world = world
    this.#tickKey = tickKey
    this.timeline = new TimelineStore(store, {
      ...{ incarnationKey, ownKey, nowMs: () => world.clock.monotonicMs() },
      onReplaced: (replacement) => this.#begin(replacement),
      onForgotten: (before) => this.#member?.forget(before),
    })
  }

  /** How often the store was replaced while this server ran. */
  get count(): number {
    return this.#count
  }

  /** Resolves when the incarnation is known and the revisions of the old timeline are passed. */
  get readable(): Promise<void> {
    return this.#readable.promise
  }

  /**
   * Resolves when no recovery is under way that other servers need: the incarnation is renewed, and the revisions are passed.
   * A server that leaves waits for it, at most until the signal is aborted. Otherwise:
   *
   * 1. A alone notices the restore. Its first read of the incarnation is lost on the way.
   * 2. A is stopped, and leaves within half a second.
   * 3. B starts, and takes the incarnation as it is. No server knows that the store was restored.
   */
  async shared(signal: AbortSignal): Promise<void> {
    if (this.#count > 0 && !this.#isReadable) await abortable(this.#readable.promise, signal).catch(() => {})
  }

  /** Resolves when a starting server may register: every record has the gap of the restores that others noticed. */
  get marked(): Promise<void> {
    return this.#marked.promise
  }

  /** Handles a replacement of the store. Runs until this server has rejoined, or stops. */
  #begin(replacement: Replacement): void {
    const member = this.#member
    if (!member) {
      this.#early = replacement
      return
    }
    const { why, highest } = replacement
    const error = new StoreReplaced(`the store was restored from a backup, or replaced: ${why}`)
    this.#world.log.error(
      'the store was restored from a backup, or replaced; reading it again and registering again',
      {
        why,
        highest,
      },
    )
    this.#count++
    this.#highest = Math.max(this.#highest, highest)
    for (const incarnation of this.#present) this.#former.add(incarnation)
    this.#present.clear()
    // Callers that wait already keep the same promise.
    if (this.#isReadable) this.#readable = Promise.withResolvers<void>()
    this.#isReadable = false
    member.stop(error)
    // The attempt under way is about the old store, and could wait for it until its deadline.
    this.#attempt?.abort(error)
    if (!this.#isRunning) void this.#run(member, member.signal)
  }

  /** Reads the incarnation of the store, or sets the first one, and completes the recovery that another server left. */
  async start(member: StoreMember, signal: AbortSignal): Promise<void> {
    this.#member = { ...member, signal }
    const early = this.#early
    this.#early = undefined
    if (early) this.#begin(early)
    await this.#attempts(signal, async (limit) => {
      const count = this.#count
      const { id, isMarked } = await this.#settle(limit)
      if (!isMarked) {
        await member.mark(gapOf(this.#world), limit)
        await this.#noteMarked(id, count, limit)
      }
      this.#marked.resolve()
    })
  }

  /**
   * Reads the incarnation at intervals. A server with an identity reads it with each renewal of its Lease, and does not
   * need this.
   */
  async look(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#world
    while (!signal.aborted) {
      await sleep(clock, jitter(random, everyMs, 0.25), signal).catch(() => {})
      const limit = deadline(clock, everyMs, signal)
      // Other reads report failures. The timeline notices a replacement.
      await this.timeline
        .currentRevision(limit.signal)
        .catch(() => {})
        .finally(limit.dispose)
    }
  }

  async #run({ rejoin }: StoreMember, signal: AbortSignal): Promise<void> {
    this.#isRunning = true
    for (let done = -1; done !== this.#count && !signal.aborted; ) {
      const count = this.#count
      await this.#attempts(signal, async (limit) => {
        const { id } = await this.#settle(limit)
        if (count !== this.#count) return
        await rejoin(gapOf(this.#world), limit)
        await this.#noteMarked(id, count, limit)
      })
      done = count
    }
    // In the same turn as the last check of the count. Otherwise a replacement in between starts nothing.
    this.#isRunning = false
  }

  async #attempts(signal: AbortSignal, act: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, random, log } = this.#world
    for (let attempt = 0; !signal.aborted; attempt++) {
      const over = new AbortController()
      const end = (): void => over.abort(signal.reason)
      signal.addEventListener('abort', end, { once: true })
      this.#attempt = over
      const limit = deadline(clock, attemptMs, over.signal)
      try {
        await act(limit.signal)
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof FirstByOther) log.info(error.message)
        else log.warn('store recovery failed; retrying', { error: String(error) })
        await sleep(clock, jitter(random, Math.min(5_000, 50 * 2 ** attempt), 0.5), signal).catch(() => {})
      } finally {
        limit.dispose()
        signal.removeEventListener('abort', end)
      }
    }
  }

  async #settle(signal: AbortSignal): Promise<Incarnation> {
    const count = this.#count
    const incarnation = await this.#incarnation(signal).catch((error: unknown) => {
      // Nothing was replaced, and the first incarnation cannot be written: reads go on with a full disk.
      if (count === 0 && count === this.#count && isWriteFault(error)) this.#open()
      throw error
    })
    const { id, lost } = incarnation
    const historyFrom = count > 0 || lost > 0 ? await this.#pass(lost, signal) : 0
    // The store was replaced again: this is the incarnation of the older one.
    if (count !== this.#count) return incarnation
    // Revisions after the lost ones belong to this timeline, so a server that starts may serve them.
    this.timeline.forgetBefore(count > 0 ? historyFrom : Math.min(lost === 0 ? 0 : lost + 1, historyFrom))
    this.timeline.adopt(id)
    this.#open()
    return incarnation
  }

  #open(): void {
    this.#isReadable = true
    this.#readable.resolve()
  }

  /**
   * Returns the incarnation of the store, and renews it if it is from before the replacement. An incarnation that this
   * server has never seen was written by another server that noticed; it is kept. Otherwise: A renews it to X; B sees X and
   * renews it to Y; A sees Y, and so on for ever.
   *
   * It also holds the newest revision that any server has seen of earlier timelines. A server that starts later reads it
   * here, and answers 410 for older revisions of clients.
   */
  async #incarnation(signal: AbortSignal): Promise<Incarnation> {
    const count = this.#count
    const found = await readOne(this.timeline, incarnationKey, signal)
    const known = found && parseIncarnation(Buffer.from(found.value).toString())
    const isKept = known !== undefined && !this.#former.has(known.id)
    const id = isKept ? known.id : uuid(this.#world.random)
    // Noted before the write, whose answer may be lost. After another replacement it counts as a former one.
    const seen = count === this.#count ? this.#present : this.#former
    seen.add(id)
    const lost = Math.max(this.#highest, known?.lost ?? 0)
    // The first incarnation of a store: no restore was noticed, and no record needs a gap.
    const isMarked = isKept ? known.isMarked : count === 0
    const incarnation = { id, lost, isMarked }
    if (!isKept || lost > known.lost) await this.#write(incarnation, found, signal)
    return incarnation
  }

  /** If it fails, the next server that starts marks the records again. */
  async #noteMarked(id: string, count: number, signal: AbortSignal): Promise<void> {
    try {
      const found = await readOne(this.timeline, incarnationKey, signal)
      const known = found && parseIncarnation(Buffer.from(found.value).toString())
      // The store was replaced again: the marked records belong to another timeline.
      if (count !== this.#count || known?.id !== id || known.isMarked) return
      await this.#write({ ...known, isMarked: true }, found, signal)
    } catch (error) {
      this.#world.log.info(
        'could not note that every agreement record has the recording gap; the next server that starts repeats it',
        {
          error: String(error),
        },
      )
    }
  }

  /** Passes the revisions of the old timeline. Returns the oldest revision that may be read from now on. */
  async #pass(lost: Revision, signal: AbortSignal): Promise<Revision> {
    const revision = await passRevisions(this.timeline, this.#tickKey, lost, signal)
    if (revision <= lost) {
      this.#world.log.error(
        'the store reuses revisions that clients have already seen: restart clients that watch, and restore with `etcdutl snapshot restore --bump-revision --mark-compacted`',
        { revision, highest: lost, mostPassedRevisions },
      )
    }
    return revision
  }

  /** Throws if another server has changed the incarnation in between. */
  async #write(incarnation: Incarnation, found: Entry | undefined, signal: AbortSignal): Promise<void> {
    const guard: Guard = found
      ? { key: incarnationKey, value: found.value }
      : { key: incarnationKey, revision: 'absent' }
    const value = Buffer.from(incarnationText(incarnation))
    const { outcome } = await this.timeline.commit(
      { writes: [{ kind: 'put', key: incarnationKey, value }], guards: [guard] },
      signal,
    )
    if (outcome === 'committed') return
    throw found ? new Error('another server changed the incarnation of the store') : new FirstByOther()
  }
}

/** Two servers start on a new store, and the other one writes the first incarnation. */
class FirstByOther extends Error {
  constructor() {
    super('another server initialised the store first; reading it again')
  }
}

function isWriteFault(error: unknown): boolean {
  return (error instanceof StoreUnavailable || error instanceof OutcomeUnknown) && error.fault !== undefined
}

function gapOf({ clock }: World): GapCause {
  const at = new Date(clock.wallMs()).toISOString()
  return {
    reason: 'StoreRestored',
    message: `the store was restored from a backup, or replaced, before ${at}`,
  }
}
